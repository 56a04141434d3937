from mlplace_kit.errors import DomainError


class PublicGroupExists(DomainError):
    code = "mlp.core.public_group_exists"
    status = 409
    message = "an account may have one public resource group; it has {name} already"
