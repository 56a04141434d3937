"""Refusals that several features of mlpcore share."""

from mlplace_kit.errors import DomainError


class NameAlreadyExists(DomainError):
    code = "mlp.core.name_already_exists"
    status = 409
    message = "{entity} with the name {name} already exists"


class InUse(DomainError):
    code = "mlp.core.in_use"
    status = 409
    message = "{entity} is in use: {by}"
