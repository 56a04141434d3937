from mlplace_kit.errors import DomainError


class LoginTaken(DomainError):
    code = "accountsadmin.login_taken"
    status = 409
    message = "login: {login}"

    def __init__(self) -> None:
        super().__init__(login="a user with this login exists already")


class OwnAccessKept(DomainError):
    """Keeps administrators from locking themselves out."""

    code = "accountsadmin.own_access"
    status = 409
    message = "you cannot remove your own access; ask another administrator"
