"""Moves bytes between callers and the object store. No database session is open meanwhile."""

import asyncio
import hashlib
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.buckets.errors import ObjectContentMissing
from mlpcore.features.buckets.objects import BlobPlace, IncomingObject, StoredBlob
from mlpcore.features.buckets.repository import BucketRepository
from mlpcore.features.buckets.tables import BucketBlob
from mlplace_kit.errors import Unavailable
from mlplace_runtime.db.database import Database
from mlplace_runtime.objectstore import ObjectNotFoundError, ObjectNotReadError, ObjectNotStoredError, ObjectStore

log = structlog.get_logger(__name__)

FOLDER: Final = "buckets"
_ALIVE: Final = timedelta(minutes=5)
"""How long a blob that is being stored is kept without a sign of life of the process that stores it."""
_RENEWED_SECONDS: Final = 60.0


class Blobs:
    """`now` returns the time that all processes share."""

    def __init__(
        self, database: Database, store: ObjectStore, now: Callable[[AsyncSession], Awaitable[datetime]]
    ) -> None:
        self._database = database
        self._store = store
        self._now = now

    async def receive(
        self, account_id: int, incoming: IncomingObject, admit: Callable[[AsyncSession], Awaitable[None]]
    ) -> StoredBlob:
        """Stores the pieces as a blob to which nothing refers yet; without bytes there is none.

        `admit` checks, in the transaction that announces the blob, whether it may come. Raises what `admit` and the
        pieces raise, and Unavailable; nothing is stored then.
        """
        measured = _Measured(incoming.pieces)
        if not incoming.size:
            await measured.read()
            return StoredBlob(None, 0, measured.md5)
        blob_id, key = await self._announce(account_id, incoming.size, admit)
        renewing = asyncio.create_task(self._renew(blob_id))
        stored = StoredBlob(blob_id, 0, "", key)
        try:
            await self._store.put_pieces(key, measured.pieces())
        except BaseException as error:
            await asyncio.shield(self.discard(stored))  # also when the caller has left
            if isinstance(error, ObjectNotStoredError):
                raise Unavailable from error
            raise
        finally:
            renewing.cancel()
        return StoredBlob(blob_id, measured.size, measured.md5, key)

    async def _renew(self, blob_id: int) -> None:
        """Tells the sweep that the blob is still being stored."""
        while True:
            await asyncio.sleep(_RENEWED_SECONDS)
            with suppress(Exception):  # the next turn tries it again
                async with self._database.transaction() as session:
                    await BucketRepository(session).renew(blob_id, until=await self._now(session) + _ALIVE)

    async def discard(self, stored: StoredBlob) -> None:
        """Lets the next sweep delete a blob to which nothing refers, and deletes one that the sweep has forgotten."""
        if stored.blob_id is None:
            return
        try:
            async with self._database.transaction() as session:
                repository = BucketRepository(session)
                await repository.renew(stored.blob_id, until=await self._now(session))
                known = await repository.knows(stored.blob_id)
            if not known:
                await self._store.delete(stored.store_key)
        except Exception:
            log.warning("blob_not_discarded", blob_id=stored.blob_id, exc_info=True)  # it is swept some minutes later

    async def stream(self, blobs: Sequence[BlobPlace], start: int, length: int) -> AsyncGenerator[bytes]:
        """Returns the bytes of the blobs from `start` on. The first piece is read before this returns.

        Raises ObjectContentMissing and Unavailable, also while the pieces are read.
        """
        pieces = self._pieces(blobs, start, length)
        first = await anext(pieces, b"")
        return _joined(first, pieces)

    async def _announce(
        self, account_id: int, size: int, admit: Callable[[AsyncSession], Awaitable[None]]
    ) -> tuple[int, str]:
        async with self._database.transaction() as session:
            await admit(session)
            now = await self._now(session)
            blob = BucketBlob(
                account_id=account_id, store_key=f"{FOLDER}/{account_id}/{uuid.uuid4().hex}", number=0, size=size,
                md5="", stored_at=now, delete_after=now + _ALIVE,
            )  # fmt: skip
            return await BucketRepository(session).add_blob(blob), blob.store_key

    async def _pieces(self, blobs: Sequence[BlobPlace], start: int, length: int) -> AsyncGenerator[bytes]:
        for blob in blobs:
            if not length:
                return
            if start >= blob.size:
                start -= blob.size
                continue
            taken = min(length, blob.size - start)
            async for piece in self._blob(blob.store_key, start, taken):
                yield piece
            start, length = 0, length - taken

    async def _blob(self, store_key: str, start: int, length: int) -> AsyncGenerator[bytes]:
        try:
            async for piece in self._store.stream(store_key, start=start, length=length):
                yield piece
        except ObjectNotFoundError as error:
            raise ObjectContentMissing from error
        except ObjectNotReadError as error:
            raise Unavailable from error


class _Measured:
    """Passes pieces on and measures them."""

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        self._digest = hashlib.md5(usedforsecurity=False)
        self.size = 0

    @property
    def md5(self) -> str:
        return self._digest.hexdigest()

    async def read(self) -> None:
        """Reads all pieces; they raise when they break a rule."""
        async for piece in self.pieces():
            del piece

    async def pieces(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            if piece:
                yield self._noted(piece)

    def _noted(self, piece: bytes) -> bytes:
        self._digest.update(piece)
        self.size += len(piece)
        return piece


async def _joined(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    try:
        if first:
            yield first
        async for piece in rest:
            yield piece
    finally:
        await rest.aclose()
