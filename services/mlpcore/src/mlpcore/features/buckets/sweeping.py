"""Deletes bytes to which nothing refers any more, uploads that nobody completes, and ended credentials."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog

from mlpcore.features.buckets.blobs import FOLDER
from mlpcore.features.buckets.dependencies import bucket_service_of
from mlpcore.features.buckets.instance_repository import InstanceCredentialRepository
from mlpcore.features.buckets.metrics import BUCKET_BLOBS_DELETED, BUCKET_UPLOADS_ABORTED
from mlpcore.features.buckets.repository import BucketRepository
from mlpcore.state import CoreState
from mlplace_kit.errors import DomainError
from mlplace_runtime.tasks import Loop, every

_SECONDS: Final = 60.0
_BATCH: Final = 200
_AT_ONCE: Final = 16
_UPLOADS_KEPT: Final = timedelta(days=7)
_ENDED_KEPT: Final = timedelta(days=30)
_FORGOTTEN_AT_ONCE: Final = 5000

log = structlog.get_logger(__name__)


async def sweep(state: CoreState) -> None:
    last = 0
    while (batch := await _expired(state, after=last)) != ():
        await _delete_blobs(state, batch)
        last = batch[-1][0]
    await _abort_old_uploads(state)
    await _forget_ended_credentials(state)


async def _expired(state: CoreState, *, after: int) -> Sequence[tuple[int, str]]:
    async with state.database.transaction() as session:
        found = await BucketRepository(session).expired(
            now=await state.shared_time(session, state.clock), after=after, most=_BATCH
        )
    return tuple(found)


async def _delete_blobs(state: CoreState, batch: Sequence[tuple[int, str]]) -> None:
    """Deletes the bytes, then their rows: after a crash between the two, the next sweep finds the rows again.

    Two processes may delete the same bytes, which is no error. Bytes that cannot be deleted keep their row.
    """
    turns = asyncio.Semaphore(_AT_ONCE)

    async def delete(blob_id: int, store_key: str) -> int | None:
        async with turns:
            try:
                if store_key:
                    await state.objects.delete(store_key)
            except Exception:
                log.warning("blob_not_deleted", blob_id=blob_id, exc_info=True)
                return None
        return blob_id

    outcomes = await asyncio.gather(*[delete(blob_id, store_key) for blob_id, store_key in batch])
    deleted = [blob_id for blob_id in outcomes if blob_id is not None]
    async with state.database.transaction() as session:
        now = await state.shared_time(session, state.clock)
        await BucketRepository(session).delete_blobs(deleted, now=now)
    BUCKET_BLOBS_DELETED.inc(len(deleted))


async def _abort_old_uploads(state: CoreState) -> None:
    before = state.clock.now() - _UPLOADS_KEPT
    async with state.database.transaction() as session:
        old = await BucketRepository(session).old_uploads(before=before, most=_BATCH)
    for upload in old:
        try:
            async with state.database.transaction() as session:
                await bucket_service_of(state, session).abort(
                    upload.account_id, key=upload.key, upload_id=upload.upload_id
                )
            BUCKET_UPLOADS_ABORTED.inc()
            log.info("upload_aborted", account_id=upload.account_id, upload_id=upload.upload_id)
        except DomainError:  # it was completed meanwhile
            continue


async def _forget_ended_credentials(state: CoreState) -> None:
    before = state.clock.now() - _ENDED_KEPT
    async with state.database.transaction() as session:
        await InstanceCredentialRepository(session).forget_ended(before=before, most=_FORGOTTEN_AT_ONCE)


async def delete_unfinished(state: CoreState) -> None:
    """Deletes what killed processes have left of blobs that they had not stored to their end."""
    before = state.clock.now() - timedelta(days=2)
    await state.objects.delete_unfinished(FOLDER, before=before)


def buckets_loop(state: CoreState) -> Loop:
    return Loop("buckets-sweep", lambda: every(_SECONDS, lambda: sweep(state)))


def unfinished_blobs_loop(state: CoreState) -> Loop:
    return Loop("buckets-unfinished", lambda: every(3600.0, lambda: delete_unfinished(state)))
