from mlplace_kit.errors import DomainError


class DataImageLimitExceeded(DomainError):
    code = "mlp.core.data_image_limit_exceeded"
    status = 403
    message = "the account has {used} of the {limit} data images that it may have; delete one"
