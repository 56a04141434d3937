"""Sums up what accounts store, compares it with the real data, and deletes orphaned objects."""

import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import sqlalchemy as sa
import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.features.storage.counting import Kind
from mlpgateway.features.storage.metrics import COUNTS_CORRECTED, ORPHANS
from mlpgateway.features.storage.repository import StorageRepository
from mlplace_runtime.db.database import Database
from mlplace_runtime.objectstore import ObjectStore, StoredObject
from mlplace_runtime.tasks import every

_FOLD_SECONDS: Final = 10.0
_RECONCILE_SECONDS: Final = 3600.0
_YOUNG: Final = timedelta(hours=1)
"""A younger object may belong to a row whose transaction has not ended yet."""
Orphans = Callable[[AsyncSession, Sequence[tuple[uuid.UUID, str]]], Awaitable[list[str]]]
"""Takes objects as pairs of id and key. Returns the keys of those without a row."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StoredObjects:
    """`id_part` is the position of the id in the key, between slashes."""

    folder: str
    id_part: int
    orphans: Orphans


@dataclass(frozen=True, slots=True)
class Stored:
    """The stored data of a feature: `rows` selects account, bytes and items."""

    kind: Kind
    rows: sa.Select[int, int, int]
    objects: StoredObjects | None = None


class StorageMaintenance:
    """Run `run` as a task. One gate at a time works for all."""

    def __init__(
        self, stored: Sequence[Stored], *, database: Database, objects: ObjectStore, young: timedelta = _YOUNG
    ) -> None:
        self._stored = stored
        self._database = database
        self._objects = objects
        self._young = young
        self._reconciled_at: float | None = None

    async def run(self) -> None:
        """Runs until cancelled."""
        await every(_FOLD_SECONDS, self._look)

    async def _look(self) -> None:
        await self.fold()
        now = time.monotonic()
        if self._reconciled_at is None or now - self._reconciled_at >= _RECONCILE_SECONDS:
            await self.reconcile()
            await self.remove_orphans()
            self._reconciled_at = now

    async def fold(self) -> None:
        async with self._database.transaction() as session:
            repository = StorageRepository(session)
            if await repository.only_one():
                await repository.fold()

    async def reconcile(self) -> None:
        """Corrects the counts by what is stored. A difference is a bug, and logged."""
        real = {each.kind: each.rows for each in self._stored}
        async with self._database.transaction() as session:
            repository = StorageRepository(session)
            wrong = await repository.correct(real) if await repository.only_one() else []
        for account_id, kind, size, items in wrong:
            COUNTS_CORRECTED.inc()
            log.warning("storage_count_corrected", account=account_id, kind=kind, bytes=size, items=items)

    async def remove_orphans(self) -> None:
        """Deletes orphaned objects. Raises the errors of the database and the object store."""
        for each in self._stored:
            if each.objects is not None:
                await self._remove_orphans(each.kind, each.objects)

    async def _remove_orphans(self, kind: Kind, stored: StoredObjects) -> None:
        async for batch in self._objects.entries(stored.folder):
            old = self._old(batch, stored.id_part)
            async with self._database.transaction() as session:
                keys = await stored.orphans(session, old)
            await self._delete(kind, keys)

    def _old(self, batch: Sequence[StoredObject], id_part: int) -> list[tuple[uuid.UUID, str]]:
        """Returns old objects as pairs of the id they belong to and their key."""
        before = datetime.now(UTC) - self._young
        named = [(_id_in(each.key, id_part), each.key) for each in batch if each.modified <= before]
        return [(found, key) for found, key in named if found is not None]

    async def _delete(self, kind: Kind, keys: Sequence[str]) -> None:
        for key in keys:
            await self._objects.delete(key)
            ORPHANS.labels(kind.value).inc()
            log.warning("orphan_deleted", key=key)


def _id_in(key: str, part: int) -> uuid.UUID | None:
    try:
        return uuid.UUID(key.split("/")[part])
    except (ValueError, IndexError):
        return None
