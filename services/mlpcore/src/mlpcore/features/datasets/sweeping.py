"""Deletes objects to which no dataset refers: those of uploads that ended between the object and its row."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from mlpcore.features.datasets.metrics import DATASET_ORPHANS
from mlpcore.features.datasets.objects import FOLDER
from mlpcore.features.datasets.repository import DatasetRepository
from mlpcore.state import CoreState
from mlplace_runtime.objectstore import StoredObject
from mlplace_runtime.tasks import Loop, every

_SECONDS: Final = 3600.0
YOUNG: Final = timedelta(hours=1)
"""A younger object may get its row yet."""

log = structlog.get_logger(__name__)


async def sweep(state: CoreState, *, young: timedelta = YOUNG) -> None:
    """Compares with the real time, as the object store does, and not with the clock of the service."""
    async for batch in state.objects.entries(FOLDER):
        await _sweep(state, batch, young)
    if unfinished := await state.objects.delete_unfinished(FOLDER, before=datetime.now(UTC) - young):
        DATASET_ORPHANS.inc(unfinished)
        log.warning("unfinished_objects_deleted", count=unfinished)


async def _sweep(state: CoreState, batch: Sequence[StoredObject], young: timedelta) -> None:
    before = datetime.now(UTC) - young
    keys = [each.key for each in batch if each.modified <= before]
    if not keys:
        return
    async with state.database.transaction() as session:
        referred = await DatasetRepository(session).referred(keys)
        referred |= await state.ports.other_storage(session).kept_for_readers(keys)
    for key in keys:
        if key not in referred:
            await state.objects.delete(key)
            DATASET_ORPHANS.inc()
            log.warning("orphan_deleted", key=key)


def datasets_loop(state: CoreState) -> Loop:
    return Loop("datasets-sweep", lambda: every(_SECONDS, lambda: sweep(state)))
