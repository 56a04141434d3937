"""How much an account may store, and whether more of its data fits."""

from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.errors.storage import DiskLow, StorageLimitExceeded
from mlpgateway.features.storage.counting import Kind, StoredBytes
from mlpgateway.readmodels.limits import LimitsOfAccounts
from mlplace_runtime.space import Space, SpaceWatch

_ARCHIVE_SHARE = 2


class StorageLimits:
    """The account's `storageLimit`, or the platform's default for accounts whose limits are not known yet."""

    def __init__(self, limits: LimitsOfAccounts, space: SpaceWatch, *, default_bytes: int) -> None:
        self._limits = limits
        self._space = space
        self._default = default_bytes

    def of(self, account_id: int) -> int:
        told = self._limits.storage_bytes(account_id)
        return self._default if told is None else told

    async def expect_room_for_new(self, session: AsyncSession, account_id: int, size: int) -> None:
        """Like `expect_room`, for data that nobody has paid for yet: a disk low on space takes none. Raises DiskLow."""
        if self._space.level >= Space.LOW:
            raise DiskLow
        await self.expect_room(session, account_id, size)

    async def expect_room(self, session: AsyncSession, account_id: int, size: int) -> None:
        """Checks room in the transaction that will count these bytes. Raises StorageLimitExceeded.

        Exact, because other writers of the account wait until that transaction ends.
        """
        stored = StoredBytes(session)
        await stored.alone(account_id)
        used = sum(use.size for use in (await stored.use(account_id)).values())
        if used + size > self.of(account_id):
            raise StorageLimitExceeded(used=str(used), limit=str(self.of(account_id)), size=str(size))

    async def archive_room(self, session: AsyncSession, account_id: int) -> tuple[int, int]:
        """Returns the bytes by which the account's archive may grow, and the most that it may have in all.

        The archive gets at most half of the limit, to leave room for paid data. Exact, like `expect_room`.
        """
        stored = StoredBytes(session)
        await stored.alone(account_id)
        use, limit = await stored.use(account_id), self.of(account_id)
        archived = use[Kind.ARCHIVE].size
        others = sum(each.size for each in use.values()) - archived
        most = max(0, min(limit // _ARCHIVE_SHARE, limit - others))
        return most - archived, most
