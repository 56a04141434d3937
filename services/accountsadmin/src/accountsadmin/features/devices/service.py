from datetime import timedelta

from accountsadmin.features.devices.repository import DeviceRepository
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.ids import random_alphanumeric

_SECRET_LENGTH = 43  # 256 bits
_MOST_OF_A_USER = 20
_NOBODY = 0


class KnownDevices:
    """Browsers in which a user has signed in, or has chosen a new password by a mailed link.

    Wrong passwords that others try do not slow down a device that the user has signed in at. It gives no other right.
    """

    def __init__(self, *, repository: DeviceRepository, hasher: KeyedHasher, clock: Clock, lifetime: timedelta) -> None:
        self._repository = repository
        self._hasher = hasher
        self._clock = clock
        self._lifetime = lifetime

    async def find(self, *, secret: str | None, user_id: int | None) -> int | None:
        """The id of the device with this cookie if the user is known there. Without a user the work is the same."""
        if not secret:
            return None
        seen_after = self._clock.now() - self._lifetime
        return await self._repository.known(self._hasher.digest(secret), user_id or _NOBODY, seen_after=seen_after)

    async def remember(self, *, secret: str | None, user_id: int) -> str:
        """Returns what the cookie is from now on.

        It changes with each sign-in, so that a cookie that somebody else put into the browser is known to nobody.
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
