from datetime import timedelta

from accountsadmin.features.devices.repository import DeviceRepository
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.ids import random_alphanumeric

_SECRET_LENGTH = 43  # 256 bits
_MOST_OF_A_USER = 20
_NOBODY = 0


class KnownDevices:
    """Browsers in which a user has signed in, or has set a new password by a mailed link.

    Other people's wrong passwords do not slow down sign-ins on the user's known devices. A known device has no other
    privilege.
    """

    def __init__(self, *, repository: DeviceRepository, hasher: KeyedHasher, clock: Clock, lifetime: timedelta) -> None:
        self._repository = repository
        self._hasher = hasher
        self._clock = clock
        self._lifetime = lifetime

    async def find(self, *, secret: str | None, user_id: int | None) -> int | None:
        """Returns the id of the device if the user is known there. Takes the same time without a user."""
        if not secret:
            return None
        seen_after = self._clock.now() - self._lifetime
        return await self._repository.known(self._hasher.digest(secret), user_id or _NOBODY, seen_after=seen_after)

    async def remember(self, *, secret: str | None, user_id: int) -> str:
        """Records the device and returns its new cookie.

        The cookie changes with each sign-in, so that a cookie planted by somebody else becomes worthless.
        """
        fresh = random_alphanumeric(_SECRET_LENGTH)
        fresh_hash = self._hasher.digest(fresh)
        if secret:
            await self._repository.rename(self._hasher.digest(secret), fresh_hash)
        await self._repository.remember(fresh_hash, user_id, self._clock.now())
        await self._repository.keep_newest(user_id, _MOST_OF_A_USER)
        return fresh

    async def forget_old(self) -> None:
        await self._repository.delete_seen_before(self._clock.now() - self._lifetime)
