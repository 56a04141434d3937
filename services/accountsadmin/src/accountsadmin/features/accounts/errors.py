from mlplace_kit.errors import DomainError


class AccountNameTaken(DomainError):
    code = "mlp.core.name_already_exists"
    status = 409
    message = "accountName: {accountName}"

    def __init__(self) -> None:
        super().__init__(accountName="an account with this name exists already")
