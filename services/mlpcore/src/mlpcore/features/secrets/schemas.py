"""Secrets on the wire. Requests carry values, responses never do."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, SecretStr

from mlpcore.features.models.settings.blocks import Id
from mlpcore.features.models.settings.texts import MAX_ENV_VALUE, SecretName
from mlplace_kit.wire import Input, Output

SecretValue = Annotated[SecretStr, Field(min_length=1, max_length=MAX_ENV_VALUE)]


class SecretCreateData(Input):
    """With `modelId`, only that model may use the secret. It hides a secret of the account with the same name."""

    name: SecretName
    value: SecretValue
    model_id: Id | None = None


class SecretReplaceData(Input):
    """Running instances keep the old value until their next start."""

    value: SecretValue


class SecretUseData(Output):
    """A model that refers to the secret, and the environment variables that hold the value in its instances."""

    model_id: int
    model_name: str
    variables: list[str]


class SecretData(Output):
    """`version` rises with each new value. `createdBy` and `updatedBy`: logins, or names of API keys."""

    secret_id: int
    name: str
    model_id: int | None
    model_name: str | None
    version: int
    created_at: datetime
    created_by: str
    updated_at: datetime
    updated_by: str
    used_by: list[SecretUseData]
