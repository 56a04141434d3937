"""Enumerations of the specification that more than one service uses."""

from enum import StrEnum


class Role(StrEnum):
    """A member's role in an account. OWNER may do all; DEVELOPER creates and manages; USER enters and calls."""

    OWNER = "OWNER"
    DEVELOPER = "MLP_DEVELOPER"
    USER = "MLP_USER"


class KeyPermission(StrEnum):
    PREDICT = "predict"
    READ = "read"
    WRITE = "write"


SUPERADMIN_PERMISSION = "ACCOUNTS_ADMIN_WRITE"


class Feature(StrEnum):
    MODEL_ADMIN = "mlp.model_admin"
    PUBLIC_MODEL_ADMIN = "mlp.public_model_admin"
    NO_BLOCKING = "mlp_billing.no_blocking"
    SHARED_POOL_ADMIN = "mlp.shared_pool_admin"
    TEST_FORM = "mlp.test_form"
    CONTAINER_ADDITIONAL_FLAGS = "mlp.container_additional_flags"


class InstancePurpose(StrEnum):
    """What an instance is for. SERVE answers calls; FIT trains; DEVELOP is for the work of a person."""

    SERVE = "serve"
    FIT = "fit"
    DEVELOP = "develop"


class HostingType(StrEnum):
    AUTOMATIC = "AUTOMATIC"
    INTERNAL = "INTERNAL"
    EXTERNAL = "EXTERNAL"
    HOSTING_SERVER = "HOSTING_SERVER"
