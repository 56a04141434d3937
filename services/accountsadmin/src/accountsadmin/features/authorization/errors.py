from mlplace_kit.errors import DomainError


class InvalidCredentials(DomainError):
    """Raised alike for an unknown login, a wrong password and a blocked user."""

    code = "accountsadmin.invalid_credentials"
    status = 401
    message = "the login or the password is wrong"
