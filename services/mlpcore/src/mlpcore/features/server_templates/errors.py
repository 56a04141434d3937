from mlplace_kit.errors import DomainError


class TooManyServerTemplates(DomainError):
    code = "mlp.core.server_template_limit_exceeded"
    status = 403
    message = "the account has {used} of the {limit} server templates that it may have; delete one"
