"""How often passwords may be tried. An attempt counts before it is checked, so that many at once all count."""

from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, IPv6Network, ip_address

from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.features.throttle.errors import TooManyAttempts
from accountsadmin.features.throttle.repository import AttemptsRepository
from accountsadmin.origin import Origin
from mlplace_kit.clock import Clock

_IPV6_SITE_BITS = 64  # one subscriber's network: its holder may use any address in it


@dataclass(frozen=True, slots=True)
class ThrottleTerms:
    window: timedelta
    per_login: int
    per_address: int
    registrations_per_address: int
    mails_per_login: int
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
        self._address = _network(origin.address)

    async def admit_sign_in(self, *, login: str) -> timedelta | None:
        """None when the password may be tried, else how long to wait. The caller commits in both cases.

        The address goes first: one that is over its limit cannot lock other people's logins.
        """
        wait = await self._admit(f"address:{self._address}", self._terms.per_address)
        return wait or await self._admit(f"login:{login}", self._terms.per_login, login=login)

    async def admit_registration(self) -> timedelta | None:
        return await self._admit(f"registration:{self._address}", self._terms.registrations_per_address)

    async def admit_mail(self, *, login: str) -> timedelta | None:
        """Whether there is a user of this login or not: the answer must not differ."""
        wait = await self._admit(f"mail-address:{self._address}", self._terms.mails_per_address)
        return wait or await self._admit(f"mail:{login}", self._terms.mails_per_login, login=login)

    async def admit_token(self) -> timedelta | None:
        """A link that is tried: guessing one is out of the question, asking the database without end is not."""
        return await self._admit(f"token:{self._address}", self._terms.per_address)

    async def require_invitation(self, *, account_id: int) -> None:
        """Each goes to an address that has not asked for it. Raises TooManyAttempts."""
        wait = await self._admit(f"invitations:{account_id}", self._terms.invitations_per_account)
        if wait:
            raise TooManyAttempts(wait)

    async def forgive_sign_in(self, *, login: str) -> None:
        """The password was right: the login starts afresh, and the address gets this one attempt back."""
        await self._repository.take_back(f"address:{self._address}")
        await self._repository.forget(f"login:{login}")

    async def forget_old(self) -> None:
        await self._repository.delete_over(self._clock.now())

    async def _admit(self, subject: str, limit: int, *, login: str | None = None) -> timedelta | None:
        now = self._clock.now()
        attempts, ends = await self._repository.count(subject, now=now, window_ends_at=now + self._terms.window)
        if attempts == limit + 1:
            await self._audit.record(SecurityEvent.SIGN_IN_LOCKED, login=login, details={"subject": subject})
        return ends - now if attempts > limit else None


def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address or "unknown"
    if isinstance(parsed, IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped else str(IPv6Network((int(parsed), _IPV6_SITE_BITS), strict=False))
    return str(parsed)
