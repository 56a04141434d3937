from mlplace_kit.errors import DomainError


class EnrolmentRefused(DomainError):
    code = "mlp.core.enrolment_refused"
    status = 401
    message = "the enrolment token is used, expired or wrong"


class ServerNotAuthorized(DomainError):
    code = "mlp.core.server_not_authorized"
    status = 401
    message = "the server's secret is wrong, or the server was deleted"
