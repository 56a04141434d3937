"""Setting a new password and confirming an e-mail address, by links in mails.

Each uses several transactions, like sign-in: attempts count even if the request fails, passwords are hashed outside of
transactions, and no mail is sent within one.
"""

from dataclasses import dataclass
from datetime import timedelta

import structlog
from fastapi import BackgroundTasks

from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.devices.dependencies import devices_of
from accountsadmin.features.domains.dependencies import domains_of
from accountsadmin.features.recovery.errors import MailOff
from accountsadmin.features.recovery.mails import mail_of
from accountsadmin.features.recovery.schemas import ConfirmEmailInput, ForgotPasswordInput, ResetPasswordInput
from accountsadmin.features.recovery.tokens import Purpose, mail_tokens_of
from accountsadmin.features.sessions.dependencies import sessions_of
from accountsadmin.features.throttle.dependencies import throttle_of
from accountsadmin.features.throttle.errors import TooManyAttempts
from accountsadmin.features.users.dependencies import users_of
from accountsadmin.logins import normal_login
from accountsadmin.origin import Origin
from accountsadmin.passwords import Asker, Passwords, require_unlike_login
from accountsadmin.unit_of_work import OpenWork, UnitOfWork
from mlplace_kit.errors import Conflict
from mlplace_runtime.mail import Mail, Mailer, MailNotSentError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Recovery:
    open_work: OpenWork
    passwords: Passwords
    mailer: Mailer | None

    async def forgot(self, *, wanted: ForgotPasswordInput, origin: Origin, device: str | None) -> Mail | None:
        """Returns the mail to send; None if there is no such user, which the response must not reveal.

        Raises MailOff, TooManyAttempts.
        """
        login = normal_login(wanted.login)
        await self._admit(login, origin, device)
        async with self.open_work(origin) as work:
            user = await users_of(work).find_by_login(login=login)
            if user is None or not user.active:
                return None
            await audit_of(work).record(SecurityEvent.PASSWORD_RESET_ASKED, user=user.id, login=login)
            return await _mail(work, user.id, Purpose.RESET)

    async def reset(self, *, wanted: ResetPasswordInput, origin: Origin, device: str | None) -> str:
        """Sets the password, ends all sessions of the user and confirms the address.

        Returns the device's new cookie: a user who can read the mail does not wait because of others who guess the
        password. Raises TokenInvalid, TooManyAttempts, and Conflict if the user was blocked or changed meanwhile.
        """
        token = wanted.token.get_secret_value()
        await self._admit_token(origin)
        async with self.open_work(origin) as work:
            user = await users_of(work).find(
                user_id=await mail_tokens_of(work).user_of(token=token, purpose=Purpose.RESET)
            )
        if user is None or not user.active:
            raise Conflict
        require_unlike_login(wanted.new_password, user.login, path="newPassword")
        new_hash = await self.passwords.hash(
            wanted.new_password.get_secret_value(), asker=Asker(f"user:{user.id}", known=True)
        )
        async with self.open_work(origin) as work:
            user_id = await mail_tokens_of(work).take(token=token, purpose=Purpose.RESET)
            if not await users_of(work).set_password(user_id=user_id, old_hash=user.password_hash, new_hash=new_hash):
                raise Conflict
            await mail_tokens_of(work).void_all(user_id=user_id)
            await users_of(work).confirm_email(user_id=user_id)
            await throttle_of(work).forgive_sign_in(login=user.login)
            await audit_of(work).record(SecurityEvent.PASSWORD_RESET, user=user_id, login=user.login)
            await sessions_of(work).end_all(user_id=user_id, actor=None)
            return await devices_of(work).remember(secret=device, user_id=user_id)

    async def ask_confirmation(self, *, user_id: int, login: str, origin: Origin) -> Mail | None:
        """Returns the mail to send; None if the address is confirmed already. Raises MailOff, TooManyAttempts."""
        await self._admit(login, origin)
        async with self.open_work(origin) as work:
            user = await users_of(work).find(user_id=user_id)
            return None if user is None or user.email_confirmed else await _mail(work, user_id, Purpose.CONFIRMATION)

    async def welcome(self, *, user_id: int, origin: Origin) -> Mail | None:
        """Returns the mail for a new user; None if the installation sends no mail."""
        if self.mailer is None:
            return None
        async with self.open_work(origin) as work:
            return await _mail(work, user_id, Purpose.CONFIRMATION)

    async def confirm(self, *, wanted: ConfirmEmailInput, origin: Origin) -> None:
        """Raises TokenInvalid, TooManyAttempts."""
        await self._admit_token(origin)
        async with self.open_work(origin) as work:
            user_id = await mail_tokens_of(work).take(
                token=wanted.token.get_secret_value(), purpose=Purpose.CONFIRMATION
            )
            await users_of(work).confirm_email(user_id=user_id)
            await audit_of(work).record(SecurityEvent.EMAIL_CONFIRMED, user=user_id)

    def send_later(self, mail: Mail | None, tasks: BackgroundTasks) -> None:
        """Sends after the response, so that the duration does not reveal whether the user exists."""
        if mail:
            tasks.add_task(self._send, mail)

    async def _send(self, mail: Mail) -> None:
        """Sends without retries: the user can request a lost mail again."""
        if self.mailer:
            try:
                await self.mailer.send(mail)
            except MailNotSentError:
                log.exception("mail_not_sent", subject=mail.subject)

    async def _admit(self, login: str, origin: Origin, device: str | None = None) -> None:
        if self.mailer is None:
            raise MailOff
        async with self.open_work(origin) as work:
            user = await users_of(work).find_by_login(login=login)
            known = await devices_of(work).find(secret=device, user_id=user.id if user else None)
            throttle = throttle_of(work)
            wait = await (throttle.admit_mail_from(device=known) if known else throttle.admit_mail(login=login))
        _refuse_if(wait)

    async def _admit_token(self, origin: Origin) -> None:
        async with self.open_work(origin) as work:
            wait = await throttle_of(work).admit_token()
        _refuse_if(wait)


def _refuse_if(wait: timedelta | None) -> None:
    if wait:
        raise TooManyAttempts(wait)


async def _mail(work: UnitOfWork, user_id: int, purpose: Purpose) -> Mail | None:
    user = await users_of(work).find(user_id=user_id)
    if user is None:
        return None
    return mail_of(
        purpose,
        login=user.login,
        language=user.language,
        token=await mail_tokens_of(work).issue(user_id=user_id, purpose=purpose),
        platform_url=await domains_of(work).platform_url(),
    )
