"""Errors that several features of mlpcore raise."""

from mlplace_kit.errors import DomainError


class InUse(DomainError):
    """`use` is the kind of `by`: services (with `count`), named (with `names`), servers, reserve or public."""

    code = "mlp.core.in_use"
    status = 409
    message = "{entity} is in use: {by}"


class LicenseLimitExceeded(DomainError):
    """`why` is own_services, expired or usage: `reason` for programs."""

    code = "mlp.core.license_limit_exceeded"
    status = 403
    message = "the licence of this installation does not allow this: {reason}"
