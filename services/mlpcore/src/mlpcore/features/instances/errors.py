from mlplace_kit.errors import DomainError


class HostingTypeUnavailable(DomainError):
    code = "mlp.core.hosting_type_unavailable"
    status = 400
    message = "the platform does not start instances of services with the hosting type {hostingType}"


class StoppedBySchedule(DomainError):
    code = "mlp.core.stopped_by_schedule"
    status = 409
    message = "the schedule of the service allows no instances now"


class PrototypeNotStarted(DomainError):
    code = "mlp.core.prototype_not_started"
    status = 400
    message = "a prototype cannot be started; clone it and start the clone"


class InstanceLimitExceeded(DomainError):
    code = "mlp.core.limit_exceeded"
    status = 403
    message = "the account's {name} is {limit}; {running} run or wait, external connections included"


class ResourceLimitExceeded(DomainError):
    code = "mlp.core.resource_limit_exceeded"
    status = 403
    message = "the account's {name} is {allowed}; {used} is in use and {needed} more is needed"


class RestrictedImage(DomainError):
    code = "mlp.core.restricted_image"
    status = 403
    message = "the service is built from a restricted image of another account: its output is not shown"
