"""Errors that several features of mlpcore raise."""

from mlplace_kit.errors import DomainError


class InUse(DomainError):
    code = "mlp.core.in_use"
    status = 409
    message = "{entity} is in use: {by}"


class LicenseLimitExceeded(DomainError):
    code = "mlp.core.license_limit_exceeded"
    status = 403
    message = "the licence of this installation does not allow this: {reason}"
