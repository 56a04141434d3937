from datetime import timedelta
from enum import StrEnum

from accountsadmin.features.recovery.errors import TokenInvalid
from accountsadmin.features.recovery.repository import MailTokenRepository
from accountsadmin.unit_of_work import UnitOfWork
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.ids import random_alphanumeric

_LENGTH = 43  # 256 bits


class Purpose(StrEnum):
    RESET = "RESET"
    CONFIRMATION = "CONFIRMATION"


LIFETIMES = {Purpose.RESET: timedelta(minutes=30), Purpose.CONFIRMATION: timedelta(days=3)}


class MailTokens:
    """Tokens of mailed links. A token works once, for its purpose, until it expires or a newer one is sent."""

    def __init__(self, *, repository: MailTokenRepository, hasher: KeyedHasher, clock: Clock) -> None:
        self._repository = repository
        self._hasher = hasher
        self._clock = clock

    async def issue(self, *, user_id: int, purpose: Purpose) -> str:
        """Returns a new token, which is only for the mail."""
        token = random_alphanumeric(_LENGTH)
        now = self._clock.now()
        await self._repository.replace(
            {
                "token_hash": self._hasher.digest(token),
                "user_id": user_id,
                "purpose": purpose.value,
                "created_at": now,
                "expires_at": now + LIFETIMES[purpose],
            }
        )
        return token

    async def user_of(self, *, token: str, purpose: Purpose) -> int:
        """Returns the token's user without using up the token. Raises TokenInvalid."""
        found = await self._repository.user_of(self._hasher.digest(token), purpose.value, self._clock.now())
        if found is None:
            raise TokenInvalid
        return found

    async def take(self, *, token: str, purpose: Purpose) -> int:
        """Uses up the token and returns its user. Raises TokenInvalid."""
        found = await self._repository.take(self._hasher.digest(token), purpose.value, self._clock.now())
        if found is None:
            raise TokenInvalid
        return found

    async def void_all(self, *, user_id: int) -> None:
        await self._repository.delete_of(user_id)

    async def forget_old(self) -> None:
        await self._repository.delete_over(self._clock.now())


def mail_tokens_of(work: UnitOfWork) -> MailTokens:
    return MailTokens(repository=MailTokenRepository(work.session), hasher=work.resources.hasher, clock=work.clock)
