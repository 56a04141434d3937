from mlplace_kit.errors import DomainError


class ImageLimitExceeded(DomainError):
    code = "mlp.core.image_limit_exceeded"
    status = 403
    message = "the account has {used} of the {limit} images that it may have; delete one"
