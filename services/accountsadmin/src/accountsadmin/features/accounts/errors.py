from mlplace_kit.errors import NameAlreadyExists


class AccountNameTaken(NameAlreadyExists):
    """Also names the field of the form."""

    def __init__(self, *, name: str) -> None:
        super().__init__(entity="an account", name=name, accountName="an account with this name exists already")
