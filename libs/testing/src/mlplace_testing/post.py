"""A mail server for tests."""

from mlplace_runtime.mail import Mail, MailNotSentError


class Post:
    """Records sent mail in `sent`; refuses all mail while `away`."""

    def __init__(self) -> None:
        self.sent: list[Mail] = []
        self.away = False

    async def send(self, mail: Mail) -> None:
        """Raises MailNotSentError."""
        if self.away:
            raise MailNotSentError("away")
        self.sent.append(mail)
