"""All SQL on archived requests. Times are the database's, so that clocks of hosts do not matter."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.features.archive.tables import ArchivedRequest
from mlpgateway.features.storage.counting import ROW_BYTES, Kind, StoredBytes, hours
from mlpgateway.features.storage.tables import StorageSetting

FOLDER = "archive"
ID_PART = -1
"""Where the id of the record is in a key, between slashes."""
_ABANDONED = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class ArchivedObject:
    """Where the object of one is."""

    id: uuid.UUID
    account_id: int
    model_id: int

    @property
    def key(self) -> str:
        return f"{FOLDER}/{self.account_id}/{self.model_id}/{self.id}"


class ArchiveRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._storage = StoredBytes(session)

    # ---- Of owners

    async def page(self, account_id: int, model_id: int, *, limit: int, offset: int) -> Sequence[ArchivedRequest]:
        """The newest first."""
        statement = sa.select(ArchivedRequest).where(*_shown(account_id, model_id))
        statement = statement.order_by(ArchivedRequest.number.desc()).limit(limit).offset(offset)
        return (await self._session.execute(statement)).scalars().all()

    async def count(self, account_id: int, model_id: int) -> int:
        statement = sa.select(sa.func.count()).where(*_shown(account_id, model_id))
        return (await self._session.execute(statement)).scalar_one()

    async def find(self, account_id: int, model_id: int, record_id: uuid.UUID) -> ArchivedRequest | None:
        statement = sa.select(ArchivedRequest).where(*_shown(account_id, model_id), ArchivedRequest.id == record_id)
        return (await self._session.execute(statement)).scalar_one_or_none()

    # ---- Of the gates

    async def announce(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Before their objects are written."""
        if rows:
            added = insert(ArchivedRequest).returning(ArchivedRequest.account_id, ArchivedRequest.stored_bytes)
            for account_id, size in (await self._session.execute(added, rows)).all():
                await self._storage.change(account_id, Kind.ARCHIVE, size=ROW_BYTES + size, items=1)

    async def stored(self, ids: Collection[uuid.UUID]) -> None:
        await self._session.execute(sa.update(ArchivedRequest).where(ArchivedRequest.id.in_(ids)).values(stored=True))

    async def models(self) -> Sequence[int]:
        return (await self._session.execute(sa.select(ArchivedRequest.model_id).distinct())).scalars().all()

    async def keep_last(self, model_id: int, most: int) -> None:
        """Dooms what is beyond the newest, but for rows that another gate has in its hands: see `_doom`."""
        kept = sa.and_(ArchivedRequest.model_id == model_id, sa.not_(ArchivedRequest.doomed))
        beyond = sa.select(ArchivedRequest.number).where(kept).order_by(ArchivedRequest.number.desc())
        newest_beyond = beyond.offset(most).limit(1).scalar_subquery()
        await self._doom(kept, ArchivedRequest.number <= newest_beyond)

    async def delete(self, account_id: int, model_id: int, record_id: uuid.UUID | None = None) -> None:
        """All of a service, or one. From now on nobody sees them."""
        which = _shown(account_id, model_id)
        one = sa.true() if record_id is None else ArchivedRequest.id == record_id
        statement = sa.update(ArchivedRequest).where(*which, one).values(doomed=True)
        await self._session.execute(statement, execution_options={"synchronize_session": False})

    async def doom_old(self) -> None:
        """What is older than its account wants to keep."""
        sooner = sa.select(ArchivedRequest.id).join(
            StorageSetting, StorageSetting.account_id == ArchivedRequest.account_id
        )
        old = ArchivedRequest.created_at < sa.func.now() - hours(StorageSetting.archive_hours)
        await self._doom(sa.not_(ArchivedRequest.doomed), ArchivedRequest.id.in_(sooner.where(old)))

    async def make_room(self, account_id: int, size: int) -> None:
        """Dooms the account's oldest, until so many bytes are going to be free; what is doomed already counts."""
        mine = ArchivedRequest.account_id == account_id
        each = ArchivedRequest.stored_bytes + ROW_BYTES
        # The doomed come first: their bytes are on the disk until they are swept.
        order = ArchivedRequest.doomed.desc(), ArchivedRequest.number.asc()
        before = sa.func.sum(each).over(order_by=order) - each
        rows = sa.select(ArchivedRequest.id, before.label("before")).where(mine).subquery()
        enough = sa.select(rows.c.id).where(rows.c.before < size)
        await self._doom(mine, sa.not_(ArchivedRequest.doomed), ArchivedRequest.id.in_(enough))

    async def doom_abandoned(self) -> None:
        """What a gate has announced and not stored: it is no more."""
        old = ArchivedRequest.created_at < sa.func.now() - _ABANDONED
        await self._doom(sa.not_(ArchivedRequest.stored), sa.not_(ArchivedRequest.doomed), old)

    async def _doom(self, *which: sa.ColumnElement[bool]) -> None:
        """Waits for nobody: two gates that hold their own rows and wait for each other's would never end.

        What it leaves out is doomed by the next look.
        """
        free = sa.select(ArchivedRequest.id).where(*which).with_for_update(skip_locked=True)
        statement = sa.update(ArchivedRequest).where(ArchivedRequest.id.in_(free)).values(doomed=True)
        await self._session.execute(statement, execution_options={"synchronize_session": False})

    async def doomed(self, limit: int) -> list[ArchivedObject]:
        columns = ArchivedRequest.id, ArchivedRequest.account_id, ArchivedRequest.model_id
        statement = sa.select(*columns).where(ArchivedRequest.doomed).limit(limit)
        return [ArchivedObject(*row) for row in await self._session.execute(statement)]

    async def forget(self, ids: Collection[uuid.UUID]) -> None:
        """After their objects were deleted."""
        statement = sa.delete(ArchivedRequest).where(ArchivedRequest.id.in_(ids))
        gone = await self._session.execute(
            statement.returning(ArchivedRequest.account_id, ArchivedRequest.stored_bytes)
        )
        await self._storage.gone(Kind.ARCHIVE, [(row[0], ROW_BYTES + row[1]) for row in gone])

    async def known(self, ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
        statement = sa.select(ArchivedRequest.id).where(ArchivedRequest.id.in_(ids))
        return set((await self._session.execute(statement)).scalars())


def stored() -> sa.Select[int, int, int]:
    """Account, bytes and items of all archives."""
    sums = sa.func.sum(ArchivedRequest.stored_bytes + ROW_BYTES), sa.func.count()
    return sa.select(ArchivedRequest.account_id, *sums).group_by(ArchivedRequest.account_id)


def _shown(account_id: int, model_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    finished = sa.and_(ArchivedRequest.stored, sa.not_(ArchivedRequest.doomed))
    return ArchivedRequest.account_id == account_id, ArchivedRequest.model_id == model_id, finished


async def orphans(session: AsyncSession, objects: Sequence[tuple[uuid.UUID, str]]) -> list[str]:
    """Archived requests that no row knows."""
    known = await ArchiveRepository(session).known({found for found, _ in objects})
    return [key for found, key in objects if found not in known]
