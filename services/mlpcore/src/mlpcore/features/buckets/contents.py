"""Stores, reads and copies objects. No database session is open while bytes move."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.buckets.blobs import Blobs
from mlpcore.features.buckets.errors import ObjectTooLarge
from mlpcore.features.buckets.keys import checked_key
from mlpcore.features.buckets.metrics import BUCKET_BYTES, BUCKET_UPLOADS
from mlpcore.features.buckets.objects import (
    ALWAYS,
    Attributes,
    FoundObject,
    IncomingObject,
    Listed,
    ObjectInfo,
    Part,
    PartPlace,
    RefusedBodyError,
    StoredBlob,
    Upload,
    WriteCondition,
)
from mlpcore.features.buckets.service import BucketService
from mlpcore.features.datasets.errors import TooManyTransfers, TransfersBusy
from mlpcore.pacing import paced
from mlpcore.transfers import ObjectTransfers, TransfersBusyError, TransfersFullError
from mlplace_kit.errors import DomainError
from mlplace_runtime.db.database import Database

_BATCH: Final = 1000
_PLACE_SECONDS: Final = 20.0
_PLACE_PAUSE: Final = 0.2
_REFUSALS: Final = (DomainError, RefusedBodyError)
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A part of an object, in bytes."""

    start: int
    length: int


class BucketContents:
    """`service` makes the service of a session; `most_bytes` bounds each object that comes in one request, and each
    part of others.
    """

    def __init__(
        self,
        *,
        database: Database,
        blobs: Blobs,
        transfers: ObjectTransfers,
        most_bytes: int,
        service: Callable[[AsyncSession], BucketService],
    ) -> None:
        self._database = database
        self._blobs = blobs
        self._transfers = transfers
        self._most_bytes = most_bytes
        self._service = service

    async def run(self, work: Callable[[BucketService], Awaitable[_Result]]) -> _Result:
        """Runs the work in a transaction of its own."""
        async with self._database.transaction() as session:
            return await work(self._service(session))

    async def put(
        self,
        account_id: int,
        *,
        key: str,
        incoming: IncomingObject,
        attributes: Attributes,
        condition: WriteCondition = ALWAYS,
    ) -> ObjectInfo:
        """Raises ObjectKeyInvalid, ObjectTooLarge, StorageLimitExceeded, TooManyTransfers, TransfersBusy,
        RequestTooSlow, ObjectNotFound, ObjectConditionFailed, and what the pieces raise. The key keeps its object then.
        """
        checked_key(key)
        async with self._upload(account_id):
            stored = await self._received(account_id, key, incoming)

            async def add(service: BucketService) -> ObjectInfo:
                return await service.put(account_id, key=key, stored=stored, attributes=attributes, condition=condition)

            return await self._refer(stored, add)

    async def put_part(
        self, account_id: int, *, key: str, upload_id: str, number: int, incoming: IncomingObject
    ) -> StoredBlob:
        """Raises like `put`, and UploadNotFound."""
        async with self._upload(account_id):
            await self.run(lambda service: service.expect_upload(account_id, key=key, upload_id=upload_id))
            stored = await self._received(account_id, PartPlace(upload_id, number), incoming)

            async def add(service: BucketService) -> StoredBlob:
                await service.put_part(account_id, key=key, upload_id=upload_id, number=number, stored=stored)
                return stored

            return await self._refer(stored, add)

    async def describe(self, account_id: int, *, key: str, attributes: Attributes) -> ObjectInfo:
        """Replaces what is said about an object. Raises ObjectNotFound."""
        return await self.run(lambda service: service.describe(account_id, key=key, attributes=attributes))

    async def find(self, account_id: int, key: str) -> FoundObject:
        """Raises ObjectNotFound."""
        return await self.run(lambda service: service.find(account_id, key))

    async def read(self, found: FoundObject, span: ByteRange) -> AsyncGenerator[bytes]:
        """Raises ObjectContentMissing, Unavailable, also while the pieces are read."""
        return await self._blobs.stream(found.blobs, span.start, span.length)

    async def incoming(self, found: FoundObject, span: ByteRange) -> IncomingObject:
        """Returns the object's bytes as those of an upload, for a copy."""
        return IncomingObject(await self.read(found, span), span.length)

    async def listed(self, account_id: int, *, prefix: str, after: str, most: int, folders: bool) -> Listed:
        return await self.run(
            lambda service: service.listed(account_id, prefix=prefix, after=after, most=most, folders=folders)
        )

    async def delete(self, account_id: int, keys: Sequence[str]) -> int:
        return await self.run(lambda service: service.delete(account_id, keys))

    async def delete_below(self, account_id: int, prefix: str, *, most: int) -> tuple[int, bool]:
        """Deletes up to `most` objects whose keys begin with the prefix, in portions.

        Returns how many there were, and whether there are more.
        """
        deleted = 0
        while deleted < most:
            size = min(_BATCH, most - deleted)
            found = await self.listed(account_id, prefix=prefix, after="", most=size, folders=False)
            deleted += await self.delete(account_id, [each.key for each in found.objects])
            if found.next is None:
                return deleted, False
        return deleted, True

    async def delete_empty_buckets(self, count: int, *, dry_run: bool) -> tuple[Sequence[str], Sequence[str]]:
        """Deletes up to `count` buckets without content, with their keys, each in a transaction of its own.

        Returns the names of these and of others that are kept. With `dry_run`, deletes nothing.
        """
        empty = await self.run(lambda service: service.empty_buckets(count))
        kept = list(await self.run(lambda service: service.used_buckets(count)))
        deleted = list[str]()
        for account_id, name in empty:
            gone = dry_run or await self.run(partial(BucketService.delete_empty, account_id=account_id))
            (deleted if gone else kept).append(name)
        return deleted, kept

    async def begin_upload(self, account_id: int, *, key: str, attributes: Attributes) -> Upload:
        return await self.run(lambda service: service.begin_upload(account_id, key=key, attributes=attributes))

    async def complete(
        self, account_id: int, *, key: str, upload_id: str, listed: Sequence[tuple[int, str]], condition: WriteCondition
    ) -> ObjectInfo:
        return await self.run(
            lambda service: service.complete(
                account_id, key=key, upload_id=upload_id, listed=listed, condition=condition
            )
        )

    async def abort(self, account_id: int, *, key: str, upload_id: str) -> None:
        await self.run(lambda service: service.abort(account_id, key=key, upload_id=upload_id))

    async def parts(self, account_id: int, *, key: str, upload_id: str, after: int, most: int) -> Sequence[Part]:
        return await self.run(
            lambda service: service.parts(account_id, key=key, upload_id=upload_id, after=after, most=most)
        )

    async def uploads(self, account_id: int, *, prefix: str, most: int) -> Sequence[Upload]:
        return await self.run(lambda service: service.uploads(account_id, prefix=prefix, most=most))

    async def _received(self, account_id: int, place: str | PartPlace, incoming: IncomingObject) -> StoredBlob:
        if incoming.size > self._most_bytes:
            raise ObjectTooLarge(limit=str(self._most_bytes))

        async def admit(session: AsyncSession) -> None:
            if not await self._service(session).admit(account_id, place=place, size=incoming.size):
                raise _NoRoomError

        try:
            return await self._blobs.receive(account_id, IncomingObject(paced(incoming.pieces), incoming.size), admit)
        except _NoRoomError:
            await self.run(partial(BucketService.expire_unused, account_id=account_id))
            raise TransfersBusy from None

    async def _refer(self, stored: StoredBlob, change: Callable[[BucketService], Awaitable[_Result]]) -> _Result:
        """Makes a row refer to the stored blob.

        A refusal discards the blob. After other errors the row decides: the transaction may have been committed.
        """
        try:
            found = await self.run(change)
        except DomainError:
            await self._blobs.discard(stored)
            raise
        BUCKET_BYTES.inc(stored.size)
        return found

    @asynccontextmanager
    async def _upload(self, account_id: int) -> AsyncGenerator[None]:
        """Holds a place, for which it waits a while, and counts the outcome. Raises TooManyTransfers, TransfersBusy."""
        outcome = "broken"
        try:
            with await self._place(account_id):
                yield
            outcome = "stored"
        except _REFUSALS:
            outcome = "refused"
            raise
        finally:
            BUCKET_UPLOADS.labels(outcome).inc()

    async def _place(self, account_id: int) -> ExitStack:
        """Usual programs send more parts at once than there are places; a wait costs them less than a repetition."""
        clock = asyncio.get_running_loop().time
        ends = clock() + _PLACE_SECONDS
        while True:
            place = self._transfers.place(account_id)
            try:
                place.__enter__()
            except (TransfersFullError, TransfersBusyError) as error:
                if clock() < ends:
                    await asyncio.sleep(_PLACE_PAUSE)
                    continue
                if isinstance(error, TransfersBusyError):
                    raise TransfersBusy from None
                raise TooManyTransfers(limit=str(self._transfers.of_account)) from None
            held = ExitStack()
            held.push(place)
            return held


class _NoRoomError(Exception):
    """What the account sends and replaces takes as much as it may."""
