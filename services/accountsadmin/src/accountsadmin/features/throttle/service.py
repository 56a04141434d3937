"""Limits attempts at passwords and requests for mails. An attempt counts before its check, so concurrent ones count.

Sign-ins are slowed down, never locked. A known device of the user is slowed down by its own attempts only.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.features.throttle.errors import TooManyAttempts
from accountsadmin.features.throttle.pacing import backoff, left_of_turn, line, line_is_full, take_turn
from accountsadmin.features.throttle.repository import AttemptsRepository
from accountsadmin.features.throttle.tables import Attempts
from accountsadmin.metrics import SIGN_INS_SLOWED
from accountsadmin.origin import Origin
from mlplace_kit.clock import Clock

_APART: Final = timedelta(seconds=5)
"""Beyond the free attempts, time between two attempts at one login or from one address on unknown devices."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ThrottleTerms:
    window: timedelta
    longest_wait: timedelta
    per_login: int
    per_login_everywhere: int
    per_address: int
    registrations_per_address: int
    mails_per_login: int
    mails_per_login_per_day: int
    mails_per_address: int
    invitations_per_account: int


class Throttle:
    def __init__(
        self, *, repository: AttemptsRepository, audit: AuditLog, clock: Clock, origin: Origin, terms: ThrottleTerms
    ) -> None:
        self._repository = repository
        self._audit = audit
        self._clock = clock
        self._terms = terms
        self._address = origin.network

    async def admit_sign_in(self, *, login: str, device: int | None = None) -> timedelta | None:
        """Returns None if the password may be tried, or else how long to wait. The caller commits in both cases."""
        if device is not None:
            return await self._admit_known(f"device:{device}", login)
        names = self._unknown(login)
        now = self._clock.now()
        rows = await self._repository.hold(names, now=now, window_ends_at=now + self._terms.window)
        address, own, everywhere = (rows[name] for name in names)
        wait = await self._wait_of_unknown(address, own, everywhere, login)
        return await self._counted(rows.values(), wait, device="unknown")

    async def admit_check(self, *, user_id: int, login: str) -> timedelta | None:
        """Like a sign-in on a known device: the user is signed in and repeats the password."""
        return await self._admit_known(f"check:{user_id}", login)

    async def admit_registration(self) -> timedelta | None:
        return await self._admit(f"registration:{self._address}", self._terms.registrations_per_address)

    async def admit_mail(self, *, login: str) -> timedelta | None:
        """Counts unknown logins, too: the response must not reveal whether the user exists."""
        wait = await self._admit(f"mail-address:{self._address}", self._terms.mails_per_address)
        wait = wait or await self._admit(f"mail:{login}", self._terms.mails_per_login, login=login)
        return wait or await self.admit_mail_to(login=login)

    async def admit_mail_from(self, *, device: int) -> timedelta | None:
        """A known device of the user gets links regardless of how many others have requested today."""
        return await self._admit(f"mail-device:{device}", self._terms.mails_per_login)

    async def admit_mail_to(self, *, login: str) -> timedelta | None:
        """Limits mails to one address per day, whoever requests them."""
        limit = self._terms.mails_per_login_per_day
        return await self._admit(f"mail-day:{login}", limit, login=login, window=_DAY)

    async def admit_token(self) -> timedelta | None:
        """Limits attempts with tokens.

        Guessing one is impossible; the limit protects the database from endless requests.
        """
        return await self._admit(f"token:{self._address}", self._terms.per_address)

    async def require_invitation(self, *, account_id: int, email: str) -> None:
        """Limits invitations, because their receivers have not asked for them. Raises TooManyAttempts."""
        wait = await self._admit(f"invitations:{account_id}", self._terms.invitations_per_account)
        wait = wait or await self.admit_mail_to(login=email)
        if wait:
            raise TooManyAttempts(wait)

    async def forgive_sign_in(self, *, login: str, device: int | None = None) -> None:
        """Resets this device's attempts after a right password, and takes one attempt off the limits that it shares.

        Other people's attempts at the same login still count.
        """
        if device is not None:
            await self._repository.forget(f"device:{device}")
            return
        address, own, everywhere = self._unknown(login)
        await self._repository.take_back(address, everywhere)
        await self._repository.forget(own)

    async def forgive_check(self, *, user_id: int) -> None:
        await self._repository.forget(f"check:{user_id}")

    async def forget_old(self) -> None:
        await self._repository.delete_over(self._clock.now())

    def _unknown(self, login: str) -> tuple[str, str, str]:
        return f"address:{self._address}", f"login-at:{self._address}:{login}", f"login:{login}"

    async def _wait_of_unknown(
        self, address: Attempts, own: Attempts, everywhere: Attempts, login: str
    ) -> timedelta | None:
        """Each login at each address has one turn at a time, so a flood from one address builds no queue for others.

        An address whose own queue is full gets no turn, so that it adds nothing to the queue of any login.
        """
        terms, now = self._terms, self._clock.now()
        left = left_of_turn(own, now, longest=terms.window)
        if left or take_turn(own):
            return left or None
        if line_is_full(address, now, free=terms.per_address, longest=terms.longest_wait):
            return terms.longest_wait
        waits = {
            own: (backoff(own, free=terms.per_login, longest=terms.longest_wait), terms.per_login),
            address: (
                line(address, now, free=terms.per_address, apart=_APART, longest=terms.longest_wait),
                terms.per_address,
            ),
            everywhere: (
                line(everywhere, now, free=terms.per_login_everywhere, apart=_APART, longest=terms.window),
                terms.per_login_everywhere,
            ),
        }
        wait = max(wait for wait, _ in waits.values())
        if not wait:
            return None
        own.turn_at = now + wait
        for row, (part, free) in waits.items():
            if part and row.attempts == free:
                await self._record_slow(row, login)
        return wait

    async def _admit_known(self, subject: str, login: str) -> timedelta | None:
        now = self._clock.now()
        held = await self._repository.hold([subject], now=now, window_ends_at=now + self._terms.window)
        row = held[subject]
        wait = left_of_turn(row, now, longest=self._terms.longest_wait)
        if not wait and not take_turn(row):
            wait = backoff(row, free=self._terms.per_login, longest=self._terms.longest_wait)
            row.turn_at = now + wait if wait else None
            if wait and row.attempts == self._terms.per_login:
                await self._record_slow(row, login)
        return await self._counted([row], wait or None, device="known")

    async def _counted(self, rows: Iterable[Attempts], wait: timedelta | None, *, device: str) -> timedelta | None:
        if wait:
            SIGN_INS_SLOWED.labels(device=device).inc()
        else:
            for row in rows:
                row.attempts += 1
        await self._repository.store()
        return wait

    async def _record_slow(self, row: Attempts, login: str) -> None:
        await self._audit.record(SecurityEvent.SIGN_IN_SLOWED, login=login, details={"subject": row.subject})

    async def _admit(
        self, subject: str, limit: int, *, login: str | None = None, window: timedelta | None = None
    ) -> timedelta | None:
        now = self._clock.now()
        ends = now + (window or self._terms.window)
        attempts, ends = await self._repository.count(subject, now=now, window_ends_at=ends)
        if attempts == limit + 1:
            await self._audit.record(SecurityEvent.SIGN_IN_SLOWED, login=login, details={"subject": subject})
        return ends - now if attempts > limit else None
