"""Mail by SMTP. A service that sends mail takes a `Mailer`; without `MLP_SMTP_HOST` there is none."""

import asyncio
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from enum import StrEnum
from typing import Protocol

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from mlplace_kit.settings import Settings

_SECONDS = 15.0


class SmtpSecurity(StrEnum):
    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


class MailSettings(Settings):
    """Environment variables `MLP_SMTP_*`, the same for all services."""

    model_config = SettingsConfigDict(env_prefix="MLP_SMTP_", extra="ignore", frozen=True)

    host: str = ""
    """The server that takes mail. Without one nobody gets any, and the pages say so."""
    port: int = Field(default=587, ge=1, le=65535)
    """Its port."""
    security: SmtpSecurity = SmtpSecurity.STARTTLS
    """`starttls`, `tls` from the first byte, or `none`. The first two check the server's certificate."""
    user: str = ""
    """Signs in with it; without one, not at all."""
    password: SecretStr = SecretStr("")
    """Of that user."""
    sender: str = "MLPlace <noreply@localhost>"
    """Address that mail comes from."""


@dataclass(frozen=True, slots=True)
class Mail:
    """Plain text. The address has been checked by whoever took it."""

    to: str
    subject: str
    text: str


class MailNotSentError(Exception):
    """The server did not take it, or not surely."""


class Mailer(Protocol):
    async def send(self, mail: Mail) -> None:
        """Raises MailNotSentError."""
        ...


class SmtpMailer:
    """One connection for each mail, in a thread: the platform sends few."""

    def __init__(self, settings: MailSettings) -> None:
        self._settings = settings

    async def send(self, mail: Mail) -> None:
        try:
            await asyncio.to_thread(self._deliver, self._message(mail))
        except (smtplib.SMTPException, OSError, ValueError) as error:
            raise MailNotSentError(repr(error)) from error

    def _message(self, mail: Mail) -> EmailMessage:
        """Raises ValueError for an address or subject that would begin another header."""
        message = EmailMessage()
        message["From"] = self._settings.sender
        message["To"] = mail.to
        message["Subject"] = mail.subject
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=self._settings.sender.rpartition("@")[2].rstrip(">") or None)
        message.set_content(mail.text)
        return message

    def _deliver(self, message: EmailMessage) -> None:
        settings = self._settings
        with self._connection() as connection:
            if settings.security is SmtpSecurity.STARTTLS:
                connection.starttls(context=ssl.create_default_context())
            if settings.user:
                connection.login(settings.user, settings.password.get_secret_value())
            connection.send_message(message)

    def _connection(self) -> smtplib.SMTP:
        settings = self._settings
        if settings.security is SmtpSecurity.TLS:
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(settings.host, settings.port, timeout=_SECONDS, context=context)
        return smtplib.SMTP(settings.host, settings.port, timeout=_SECONDS)


def mailer_of(settings: MailSettings) -> Mailer | None:
    """None where no server is named."""
    return SmtpMailer(settings) if settings.host else None
