"""All SQL on archived requests. Times are the database's, so that the hosts' clocks do not matter."""

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
"""The position of the record's id in a key, between slashes."""
_ABANDONED = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class ArchivedObject:
    """The location of an archived request's object."""

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

    # ---- For owners

    async def page(self, account_id: int, model_id: int, *, limit: int, offset: int) -> Sequence[ArchivedRequest]:
        """Returns the newest first."""
        statement = sa.select(ArchivedRequest).where(*_shown(account_id, model_id))
        statement = statement.order_by(ArchivedRequest.number.desc()).limit(limit).offset(offset)
        return (await self._session.execute(statement)).scalars().all()

    async def count(self, account_id: int, model_id: int) -> int:
        statement = sa.select(sa.func.count()).where(*_shown(account_id, model_id))
        return (await self._session.execute(statement)).scalar_one()

    async def find(self, account_id: int, model_id: int, record_id: uuid.UUID) -> ArchivedRequest | None:
        statement = sa.select(ArchivedRequest).where(*_shown(account_id, model_id), ArchivedRequest.id == record_id)
        return (await self._session.execute(statement)).scalar_one_or_none()

    # ---- For the gates

    async def announce(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Inserts rows before their objects are written."""
        if rows:
            added = insert(ArchivedRequest).returning(ArchivedRequest.account_id, ArchivedRequest.stored_bytes)
            for account_id, size in (await self._session.execute(added, rows)).all():
                await self._storage.change(account_id, Kind.ARCHIVE, size=ROW_BYTES + size, items=1)

    async def stored(self, ids: Collection[uuid.UUID]) -> None:
        await self._session.execute(sa.update(ArchivedRequest).where(ArchivedRequest.id.in_(ids)).values(stored=True))

    async def models(self) -> Sequence[int]:
        return (await self._session.execute(sa.select(ArchivedRequest.model_id).distinct())).scalars().all()

    async def keep_last(self, model_id: int, most: int) -> None:
        """Marks all but the newest, except rows that another gate has locked: see `_mark`."""
        kept = sa.and_(ArchivedRequest.model_id == model_id, sa.not_(ArchivedRequest.to_delete))
        beyond = sa.select(ArchivedRequest.number).where(kept).order_by(ArchivedRequest.number.desc())
        newest_beyond = beyond.offset(most).limit(1).scalar_subquery()
        await self._mark(kept, ArchivedRequest.number <= newest_beyond)

    async def delete(self, account_id: int, model_id: int, record_id: uuid.UUID | None = None) -> None:
        """Marks all records of a model, or one. They are hidden from now on."""
        which = _shown(account_id, model_id)
        one = sa.true() if record_id is None else ArchivedRequest.id == record_id
        statement = sa.update(ArchivedRequest).where(*which, one).values(to_delete=True)
        await self._session.execute(statement, execution_options={"synchronize_session": False})

    async def mark_old(self) -> None:
        """Dooms records older than their account's setting."""
        sooner = sa.select(ArchivedRequest.id).join(
            StorageSetting, StorageSetting.account_id == ArchivedRequest.account_id
        )
        old = ArchivedRequest.created_at < sa.func.now() - hours(StorageSetting.archive_hours)
        await self._mark(sa.not_(ArchivedRequest.to_delete), ArchivedRequest.id.in_(sooner.where(old)))

    async def make_room(self, account_id: int, size: int) -> None:
        """Dooms the account's oldest records until `size` bytes are going to be free. Doomed ones already count."""
        mine = ArchivedRequest.account_id == account_id
        each = ArchivedRequest.stored_bytes + ROW_BYTES
        # Marked records come first: their bytes stay on disk until they are deleted.
        order = ArchivedRequest.to_delete.desc(), ArchivedRequest.number.asc()
        before = sa.func.sum(each).over(order_by=order) - each
        rows = sa.select(ArchivedRequest.id, before.label("before")).where(mine).subquery()
        enough = sa.select(rows.c.id).where(rows.c.before < size)
        await self._mark(mine, sa.not_(ArchivedRequest.to_delete), ArchivedRequest.id.in_(enough))

    async def mark_abandoned(self) -> None:
        """Dooms records that a gate announced but never stored: that gate has died."""
        old = ArchivedRequest.created_at < sa.func.now() - _ABANDONED
        await self._mark(sa.not_(ArchivedRequest.stored), sa.not_(ArchivedRequest.to_delete), old)

    async def _mark(self, *which: sa.ColumnElement[bool]) -> None:
        """Skips locked rows: two gates that wait for each other's rows would deadlock.

        The next run marks what this one leaves out.
        """
        free = sa.select(ArchivedRequest.id).where(*which).with_for_update(skip_locked=True)
        statement = sa.update(ArchivedRequest).where(ArchivedRequest.id.in_(free)).values(to_delete=True)
        await self._session.execute(statement, execution_options={"synchronize_session": False})

    async def marked(self, limit: int) -> list[ArchivedObject]:
        columns = ArchivedRequest.id, ArchivedRequest.account_id, ArchivedRequest.model_id
        statement = sa.select(*columns).where(ArchivedRequest.to_delete).limit(limit)
        return [ArchivedObject(*row) for row in await self._session.execute(statement)]

    async def forget(self, ids: Collection[uuid.UUID]) -> None:
        """Deletes the rows, after their objects were deleted."""
        statement = sa.delete(ArchivedRequest).where(ArchivedRequest.id.in_(ids))
        gone = await self._session.execute(
            statement.returning(ArchivedRequest.account_id, ArchivedRequest.stored_bytes)
        )
        await self._storage.gone(Kind.ARCHIVE, [(row[0], ROW_BYTES + row[1]) for row in gone])

    async def known(self, ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
        statement = sa.select(ArchivedRequest.id).where(ArchivedRequest.id.in_(ids))
        return set((await self._session.execute(statement)).scalars())


def stored() -> sa.Select[int, int, int]:
    """Selects account, bytes and items of all archives."""
    sums = sa.func.sum(ArchivedRequest.stored_bytes + ROW_BYTES), sa.func.count()
    return sa.select(ArchivedRequest.account_id, *sums).group_by(ArchivedRequest.account_id)


def _shown(account_id: int, model_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    finished = sa.and_(ArchivedRequest.stored, sa.not_(ArchivedRequest.to_delete))
    return ArchivedRequest.account_id == account_id, ArchivedRequest.model_id == model_id, finished


async def orphans(session: AsyncSession, objects: Sequence[tuple[uuid.UUID, str]]) -> list[str]:
    """Returns the keys of objects without a row."""
    known = await ArchiveRepository(session).known({found for found, _ in objects})
    return [key for found, key in objects if found not in known]
