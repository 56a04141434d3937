from mlplace_kit.errors import DomainError


class HostingTypeUnavailable(DomainError):
    code = "mlp.core.hosting_type_unavailable"
    status = 400
    message = "services with the hosting type {hostingType} cannot be started on this installation"


class InstanceLimitExceeded(DomainError):
    code = "mlp.core.limit_exceeded"
    status = 403
    message = "the account may run {limit} instances of such services; {running} run or wait already"


class RestrictedImage(DomainError):
    code = "mlp.core.restricted_image"
    status = 403
    message = "the service is built from a restricted image of another account: its output is not shown"
