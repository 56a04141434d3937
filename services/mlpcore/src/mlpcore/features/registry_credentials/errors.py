from mlplace_kit.errors import DomainError


class TooManyRegistryCredentials(DomainError):
    code = "mlp.core.registry_credential_limit_exceeded"
    status = 403
    message = "the account has credentials of {used} of the {limit} registries that it may have; delete one"
