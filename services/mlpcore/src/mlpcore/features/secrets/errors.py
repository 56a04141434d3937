from mlplace_kit.errors import DomainError


class TooManySecrets(DomainError):
    code = "mlp.core.secret_limit_exceeded"
    status = 403
    message = "the account may keep {limit} secrets; delete one that no service uses"
