"""Adds up what accounts store, compares it with what is there, and deletes objects that belong to nothing."""

import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from mlpgateway.archive import repository as archive
from mlpgateway.once import repository as once
from mlpgateway.predictions import repository as predictions
from mlpgateway.predictions.outputs import FOLDER
from mlpgateway.storage.metrics import ORPHANS, STORAGE_MENDED
from mlpgateway.storage.repository import Kind, StorageRepository
from mlplace_runtime.db.database import Database
from mlplace_runtime.objectstore import ObjectStore, StoredObject
from mlplace_runtime.tasks import every

_FOLD_SECONDS: Final = 10.0
_RECONCILE_SECONDS: Final = 3600.0
_YOUNG: Final = timedelta(hours=1)
"""An object that is younger may be of a row whose transaction is not over yet."""
_REAL: Final = {
    Kind.PREDICTIONS: predictions.stored(),
    Kind.ANSWERS: once.stored(),
    Kind.ARCHIVE: archive.stored(),
}

log = structlog.get_logger(__name__)


class StorageSweeper:
    """Run `run` beside it. One gate at a time does the work of all."""

    def __init__(self, *, database: Database, objects: ObjectStore, young: timedelta = _YOUNG) -> None:
        self._database = database
        self._objects = objects
        self._young = young
        self._reconciled_at: float | None = None

    async def run(self) -> None:
        """Until cancelled."""
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
        """Counts agree with what is stored afterwards. That they do not is a fault, and logged."""
        async with self._database.transaction() as session:
            repository = StorageRepository(session)
            wrong = await repository.mend(_REAL) if await repository.only_one() else []
        for account_id, kind, size, items in wrong:
            STORAGE_MENDED.inc()
            log.warning("storage_count_mended", account=account_id, kind=kind, bytes=size, items=items)

    async def remove_orphans(self) -> None:
        """Raises what the database and the object store raise."""
        async for batch in self._objects.entries(FOLDER):
            await self._delete(Kind.PREDICTIONS, await self._outputs_of_nothing(self._old(batch)))
        async for batch in self._objects.entries(archive.FOLDER):
            await self._delete(Kind.ARCHIVE, await self._records_of_nothing(self._old(batch)))

    def _old(self, batch: Sequence[StoredObject]) -> list[tuple[uuid.UUID, str]]:
        """With the id that the object belongs to."""
        before = datetime.now(UTC) - self._young
        named = [(_id_in(each.key), each.key) for each in batch if each.modified <= before]
        return [(found, key) for found, key in named if found is not None]

    async def _outputs_of_nothing(self, objects: Sequence[tuple[uuid.UUID, str]]) -> list[str]:
        """Of predictions that are gone, and left behind by attempts of those that are over."""
        ids = {found for found, _ in objects}
        async with self._database.transaction() as session:
            repository = predictions.PredictionRepository(session)
            still, over = await repository.open_of(ids), await repository.outputs_of(ids)
        return [key for found, key in objects if found not in still and over.get(found) != key]

    async def _records_of_nothing(self, objects: Sequence[tuple[uuid.UUID, str]]) -> list[str]:
        async with self._database.transaction() as session:
            known = await archive.ArchiveRepository(session).known({found for found, _ in objects})
        return [key for found, key in objects if found not in known]

    async def _delete(self, kind: Kind, keys: Sequence[str]) -> None:
        for key in keys:
            await self._objects.delete(key)
            ORPHANS.labels(kind.value).inc()
            log.warning("orphan_deleted", key=key)


def _id_in(key: str) -> uuid.UUID | None:
    """Outputs are under the id of their prediction, archived requests end in their own."""
    parts = key.split("/")
    place = parts[len(FOLDER.split("/"))] if key.startswith(f"{FOLDER}/") else parts[-1]
    try:
        return uuid.UUID(place)
    except ValueError:
        return None
