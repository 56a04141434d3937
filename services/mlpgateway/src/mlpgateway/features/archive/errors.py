from mlplace_kit.errors import DomainError


class ArchivedRequestNotFound(DomainError):
    code = "mlp.gate.archived_request_not_found"
    status = 404
    message = "there is no such request in the archive of this service"
