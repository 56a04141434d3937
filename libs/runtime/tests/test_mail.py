"""Tests mail over a real connection to a minimal server."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from mlplace_runtime.mail import Mail, MailNotSentError, MailSettings, SmtpMailer, SmtpSecurity, mailer_of

MAIL = Mail("ann@example.org", "Привет", "Зайдите: http://localhost:8080/c/x#token=1\n")


@asynccontextmanager
async def server(refusal: bytes = b"") -> AsyncGenerator[tuple[int, list[str]]]:
    """A server that takes mail or refuses its recipients. Yields the port and the mails."""
    taken: list[str] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 ready\r\n")
        while line := await reader.readline():
            match line[:4].upper():
                case b"DATA":
                    writer.write(b"354 go on\r\n")
                    taken.append((await reader.readuntil(b"\r\n.\r\n")).decode())
                    writer.write(b"250 taken\r\n")
                case b"QUIT":
                    writer.write(b"221 bye\r\n")
                    break
                case b"RCPT":
                    writer.write(refusal or b"250 ok\r\n")
                case _:
                    writer.write(b"250 ok\r\n")
        writer.close()

    listening = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with listening:
        yield listening.sockets[0].getsockname()[1], taken


def mailer(port: int, **more: object) -> SmtpMailer:
    values = {"host": "127.0.0.1", "port": port, "security": SmtpSecurity.NONE, **more}
    return SmtpMailer(MailSettings.model_validate(values))


class TestSend:
    async def test_text_and_subject_arrive_in_any_language(self) -> None:
        async with server() as (port, taken):
            await mailer(port, sender="Platform <noreply@example.org>").send(MAIL)
        assert len(taken) == 1
        assert "To: ann@example.org" in taken[0]
        assert "From: Platform <noreply@example.org>" in taken[0]
        assert "=?utf-8?" in taken[0]

    async def test_a_refusal_raises_mail_not_sent(self) -> None:
        async with server(b"550 nobody here\r\n") as (port, taken):
            with pytest.raises(MailNotSentError, match="nobody here"):
                await mailer(port).send(MAIL)
        assert taken == []

    async def test_an_unreachable_server_raises_mail_not_sent(self) -> None:
        async with server() as (port, _):
            pass
        with pytest.raises(MailNotSentError):
            await mailer(port).send(MAIL)

    async def test_a_server_without_starttls_gets_no_mail_if_encryption_is_required(self) -> None:
        async with server() as (port, taken):
            with pytest.raises(MailNotSentError):
                await mailer(port, security=SmtpSecurity.STARTTLS).send(MAIL)
        assert taken == []

    @pytest.mark.parametrize("mail", [Mail("a@b.c\nBcc: x@y.z", "s", "t"), Mail("a@b.c", "s\r\nBcc: x@y.z", "t")])
    async def test_a_line_break_in_address_or_subject_is_refused(self, mail: Mail) -> None:
        async with server() as (port, taken):
            with pytest.raises(MailNotSentError):
                await mailer(port).send(mail)
        assert taken == []


class TestMailerOf:
    def test_without_a_server_there_is_no_mailer(self) -> None:
        assert mailer_of(MailSettings()) is None
        assert mailer_of(MailSettings(host="mail.example.org")) is not None
