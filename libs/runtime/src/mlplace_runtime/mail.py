"""Mail over SMTP. A service that sends mail takes a `Mailer`, or None if `MLP_SMTP_HOST` is empty."""

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
    """SMTP server. Without one no mail is sent, and the pages say so."""
    port: int = Field(default=587, ge=1, le=65535)
    """Port of the SMTP server."""
    security: SmtpSecurity = SmtpSecurity.STARTTLS
    """`starttls`, `tls` from the first byte, or `none`. The first two check the server's certificate."""
    user: str = ""
    """User name for signing in. If empty, the platform does not sign in."""
    password: SecretStr = SecretStr("")
    """Password of that user."""
    sender: str = "MLPlace <noreply@localhost>"
    """Sender address of all mail."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A plain-text mail. The caller has validated the address."""

    to: str
    subject: str
    text: str


class MailNotSentError(Exception):
    """The server refused the mail, or it is unknown whether the server took it."""


class Mailer(Protocol):
    async def send(self, mail: Mail) -> None:
        """Raises MailNotSentError."""
        ...


class SmtpMailer:
    """Opens one connection per mail, in a thread: the platform sends few mails."""

    def __init__(self, settings: MailSettings) -> None:
        self._settings = settings

    async def send(self, mail: Mail) -> None:
        try:
            await asyncio.to_thread(self._deliver, self._message(mail))
        except (smtplib.SMTPException, OSError, ValueError) as error:
            raise MailNotSentError(repr(error)) from error

    def _message(self, mail: Mail) -> EmailMessage:
        """Raises ValueError for an address or subject that contains a line break, which would start another header."""
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
    """Returns None if no SMTP host is configured."""
    return SmtpMailer(settings) if settings.host else None
