from mlplace_kit.errors import DomainError


class ArchivedRequestNotFound(DomainError):
    code = "mlp.gate.archived_request_not_found"
    status = 404
    message = "the archive of this model has no such request"
