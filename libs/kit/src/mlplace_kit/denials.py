"""The reasons for which a known caller may not do something. Each says what is missing, never what it would show."""

from mlplace_kit.errors import AccessDenied


class PermissionMissing(AccessDenied):
    """`permission` is one of KeyPermission."""

    message = "this needs the permission {permission}"


class RoleMissing(AccessDenied):
    """`role` is one of Role."""

    message = "this needs the role {role} in the account"


class FeatureMissing(AccessDenied):
    """`feature` is one of Feature. An administrator of the installation enables it for an account."""

    message = "the account does not have the feature {feature}"


class SessionNeeded(AccessDenied):
    message = "keys may not do this: sign in"


class AdministratorNeeded(AccessDenied):
    message = "only administrators of the installation may do this"


class LimitedToServices(AccessDenied):
    """A key that is limited to some services was used for another one, or for the account as a whole."""

    message = "the key is limited to other services"


class KeyCannotGrant(AccessDenied):
    """A key would make or change a key that may do more. `right` is the field in which it would."""

    message = "a key cannot give what it does not have: {right}"


class KeyHasLimits(AccessDenied):
    message = "a key with limits cannot make or change keys"


class OtherSite(AccessDenied):
    message = "a page of another site may not use the session; use a key"
