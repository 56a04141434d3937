"""Writes captured calls to the archive, and keeps only the newest of each model.

Calls only hand over; while too much waits, new captures are dropped. A row is announced, its object stored, the row
shown. In the end the row is marked for deletion, its object deleted, the row forgotten. After a crash at any of these
steps, the next gate that looks repairs it.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from mlpgateway.call import headers
from mlpgateway.call.stored_text import storable
from mlpgateway.context.captured_call import CapturedCall
from mlpgateway.features.archive.metrics import ARCHIVE_DROPPED, ARCHIVE_WAITING, ARCHIVED
from mlpgateway.features.archive.records import UnusableKeyError, key_id_of, rendered
from mlpgateway.features.archive.repository import ArchivedObject, ArchiveRepository
from mlpgateway.features.storage.counting import ROW_BYTES
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.readmodels.models import Models
from mlpgateway.shares.share import Fractions, Share
from mlplace_contracts.events import ModelArchive
from mlplace_runtime.db.database import Database
from mlplace_runtime.objectstore import ObjectStore
from mlplace_runtime.space import Space, SpaceWatch

if TYPE_CHECKING:
    from mlpgateway.context.metered_call import MeteredCall

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 64
_OBJECTS_AT_ONCE: Final = 8
_OBJECT_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 5.0
_DELETE_AT_ONCE: Final = 200
_MOST_WAITING: Final = 10_000
_SPARE: Final = 8
"""An eighth of the archive's room is kept free for new records: the oldest make room for them."""

_Rendered = tuple[CapturedCall, bytes]
_OF_AN_OWNER: Final = Fractions(account=0.5)


class ArchiveWriter:
    """Satisfies Takes. Run `run` and `run_cleanup` as tasks."""

    def __init__(
        self,
        *,
        database: Database,
        objects: ObjectStore,
        models: Models,
        knows_models: asyncio.Event,
        storage: StorageLimits,
        space: SpaceWatch,
        most_waiting: int,
        most_kept: int,
    ) -> None:
        self._database = database
        self._objects = objects
        self._models = models
        self._knows_models = knows_models
        self._storage = storage
        self._space = space
        self._most_kept = most_kept
        self._waiting: deque[tuple[CapturedCall, int]] = deque()
        """Captured calls with the bytes that each takes of the share."""
        self._share = Share("archive_bytes", most_waiting, _OF_AN_OWNER, kind="owner")
        self._something = asyncio.Event()
        self._puts = asyncio.Semaphore(_OBJECTS_AT_ONCE)

    def begin(self, metered: "MeteredCall", rule: ModelArchive) -> CapturedCall | None:
        """Returns None for a call whose contents must not be stored, and for a passed-on HTTP request."""
        call = metered.call
        if self._space.level >= Space.SHORT:
            ARCHIVE_DROPPED.labels("disk").inc()
            return None
        if call.http is not None or headers.hide_contents(call.headers):
            return None
        return CapturedCall(
            model=metered.model,
            rule=rule,
            request_id=call.request_id,
            caller_account_id=metered.identity.account_id,
            request=metered.request,
            at=metered.recorders.clock.now(),
            most_bytes=self._most_kept,
            writer=self,
        )

    def take(self, capture: CapturedCall) -> None:
        """Queues a capture, or drops it when the owner's share or the gate's memory is used up."""
        owner, size = capture.model.account_id, capture.size
        if not self._share.fits(owner, size, mine=0) or len(self._waiting) >= _MOST_WAITING:
            ARCHIVE_DROPPED.labels("full").inc()
            return
        self._waiting.append((capture, size))
        self._share.take(owner, size, mine=0)
        ARCHIVE_WAITING.set(self._share.used)
        self._something.set()

    async def run(self) -> None:
        """Writes until cancelled, and then writes what still waits."""
        try:
            while True:
                await self._something.wait()
                await self._keep_some()
        finally:
            while self._waiting:
                await self._keep_some()

    async def run_cleanup(self) -> None:
        """Runs until cancelled. Unknown models are left alone: a missing event must not delete anything."""
        await self._knows_models.wait()
        while True:
            await self._settle()
            await asyncio.sleep(_LOOK_SECONDS)

    # ---- Writing

    async def _keep_some(self) -> None:
        taken = [self._waiting.popleft() for _ in range(min(len(self._waiting), _AT_ONCE))]
        captures = [capture for capture, _ in taken]
        if not self._waiting:
            self._something.clear()
        try:
            await self._keep(captures)
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            ARCHIVE_DROPPED.labels("failed").inc(len(captures))
            log.warning("requests_not_archived", requests=len(captures), error=type(error).__name__)
        finally:
            for capture, size in taken:
                self._share.give_back(capture.model.account_id, size)
            ARCHIVE_WAITING.set(self._share.used)

    async def _keep(self, captures: Sequence[CapturedCall]) -> None:
        ready, left = await self._announced(await asyncio.to_thread(_rendered, captures))
        if left:
            await self._delete_marked()
            more, left = await self._announced(left)
            ready += more
        ARCHIVE_DROPPED.labels("limit").inc(len(left))
        kept = await asyncio.gather(*(self._put(capture, content) for capture, content in ready))
        async with self._database.transaction() as session:
            repository = ArchiveRepository(session)
            await repository.stored(
                [capture.id for capture, good in zip((c for c, _ in ready), kept, strict=True) if good]
            )
            for model_id in {capture.model.model_id for capture, _ in ready}:
                await self._keep_last(repository, model_id)
        ARCHIVED.inc(sum(kept))

    async def _announced(self, rendered: Sequence[_Rendered]) -> tuple[list[_Rendered], list[_Rendered]]:
        """Announces the records that fit the owners' limits. Returns them and the others.

        For the others, the oldest records are marked for deletion. Accounts are locked in one order, so that two gates
        do not deadlock.
        """
        ready: list[_Rendered] = []
        left: list[_Rendered] = []
        async with self._database.transaction() as session:
            repository = ArchiveRepository(session)
            for account_id in sorted({capture.model.account_id for capture, _ in rendered}):
                room, most = await self._storage.archive_room(session, account_id)
                missing = most // _SPARE
                for capture, content in rendered:
                    if capture.model.account_id != account_id:
                        continue
                    size = len(content) + ROW_BYTES
                    fits = size <= room
                    room, missing = (room - size, missing) if fits else (room, missing + size)
                    (ready if fits else left).append((capture, content))
                if missing > room:
                    await repository.make_room(account_id, missing - room)
            await repository.announce([_row(capture, len(content)) for capture, content in ready])
        return ready, left

    async def _put(self, capture: CapturedCall, content: bytes) -> bool:
        async with self._puts:
            try:
                async with asyncio.timeout(_OBJECT_SECONDS):
                    await self._objects.put(_place(capture).key, content)
            except Exception as error:  # noqa: BLE001  each object store has its own kinds of errors
                ARCHIVE_DROPPED.labels("failed").inc()
                log.warning("request_not_archived", error=type(error).__name__)
                return False
        return True

    # ---- Deleting

    async def _settle(self) -> None:
        async with self._database.transaction() as session:
            repository = ArchiveRepository(session)
            models = await repository.models()
            if not models:
                return
            for model_id in models:
                await self._keep_last(repository, model_id)
            await repository.mark_old()
            await repository.mark_abandoned()
        await self._delete_marked()

    async def _delete_marked(self) -> None:
        async with self._database.transaction() as session:
            marked = await ArchiveRepository(session).marked(_DELETE_AT_ONCE)
        while marked:
            gone = await asyncio.gather(*map(self._deleted, marked))
            async with self._database.transaction() as session:
                repository = ArchiveRepository(session)
                await repository.forget([place.id for place, good in zip(marked, gone, strict=True) if good])
                marked = await repository.marked(_DELETE_AT_ONCE) if all(gone) else []

    async def _keep_last(self, repository: ArchiveRepository, model_id: int) -> None:
        model = self._models.last(model_id)
        if model is not None:
            await repository.keep_last(model_id, model.archive.most if model.archive else 0)

    async def _deleted(self, place: ArchivedObject) -> bool:
        async with self._puts:
            try:
                async with asyncio.timeout(_OBJECT_SECONDS):
                    await self._objects.delete(place.key)
            except Exception as error:  # noqa: BLE001  each object store has its own kinds of errors
                log.warning("archived_request_not_deleted", error=type(error).__name__)
                return False
        return True


def _rendered(captures: Sequence[CapturedCall]) -> list[_Rendered]:
    ready: list[_Rendered] = []
    for capture in captures:
        try:
            ready.append((capture, rendered(capture)))
        except (UnusableKeyError, TypeError, ValueError) as error:
            ARCHIVE_DROPPED.labels("failed").inc()
            log.warning("request_not_archived", error=type(error).__name__)
    return ready


def _place(capture: CapturedCall) -> ArchivedObject:
    return ArchivedObject(capture.id, capture.model.account_id, capture.model.model_id)


def _row(capture: CapturedCall, stored_bytes: int) -> dict[str, object]:
    """Returns values that PostgreSQL accepts: a refused row would lose all rows announced together with it."""
    key, error = capture.rule.public_key, capture.error
    return {
        "id": capture.id,
        "account_id": capture.model.account_id,
        "model_id": capture.model.model_id,
        "at": capture.at,
        "request_id": capture.request_id,
        "caller_account_id": capture.caller_account_id,
        "operation": capture.request.operation.value,
        "status": capture.status,
        "error_code": None if error is None else storable(error.code)[:256],
        "request_bytes": capture.request_bytes,
        "answer_bytes": capture.answer_bytes,
        "stored_bytes": stored_bytes,
        "duration_ms": round(capture.seconds * 1000),
        "instance_id": capture.instance_id,
        "cached": capture.cached,
        "key_id": None if key is None else key_id_of(key),
    }
