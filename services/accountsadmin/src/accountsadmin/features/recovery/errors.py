from mlplace_kit.errors import DomainError


class MailOff(DomainError):
    code = "accountsadmin.mail_off"
    status = 403
    message = "this installation sends no mail; ask its administrator"


class TokenInvalid(DomainError):
    """Raised alike for a token that never existed, was used or has expired."""

    code = "accountsadmin.token_invalid"
    status = 400
    message = "token: {token}"

    def __init__(self) -> None:
        super().__init__(token="the link was used or is too old; ask for another one")  # noqa: S106  words, no secret
