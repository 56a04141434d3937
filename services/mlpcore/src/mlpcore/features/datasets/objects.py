"""The objects that hold the contents of datasets."""

import asyncio
import tempfile
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import BinaryIO, Final

from mlpcore.features.datasets.errors import DatasetContentMissing
from mlplace_kit.errors import Unavailable
from mlplace_runtime.objectstore import ObjectNotFoundError, ObjectNotReadError, ObjectNotStoredError, ObjectStore

FOLDER: Final = "datasets"
_PIECE: Final = 256 * 1024


class ContentObjects:
    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    async def add(self, account_id: int, file: BinaryIO) -> str:
        """Stores the file under a new key. Raises Unavailable."""
        key = f"{FOLDER}/{account_id}/{uuid.uuid4().hex}"
        try:
            await self._store.put_file(key, file)
        except ObjectNotStoredError as error:
            raise Unavailable from error
        return key

    async def remove(self, key: str | None) -> None:
        """Deletes an object to which nothing refers. The sweep deletes it if this fails."""
        if key is not None:
            with suppress(Exception):
                await self._store.delete(key)

    async def stream(self, key: str | None) -> AsyncGenerator[bytes]:
        """Returns the pieces of the object, none without a key.

        Raises DatasetContentMissing and Unavailable before the first piece.
        """
        if key is None:
            return _joined(b"", None)
        pieces = self._store.stream(key)
        try:
            first = await anext(pieces, b"")
        except ObjectNotFoundError as error:
            raise DatasetContentMissing from error
        except ObjectNotReadError as error:
            raise Unavailable from error
        return _joined(first, pieces)

    async def copy(self, key: str | None) -> BinaryIO:
        """Returns a temporary file with the object. Raises DatasetContentMissing."""
        pieces = await self.stream(key)
        file = tempfile.TemporaryFile(prefix="mlplace-dataset-")  # noqa: SIM115  the caller closes it
        try:
            async for piece in pieces:
                await asyncio.to_thread(file.write, piece)
            file.flush()
        except BaseException:
            file.close()
            raise
        return file


async def _joined(first: bytes, rest: AsyncIterator[bytes] | None) -> AsyncGenerator[bytes]:
    if first:
        yield first
    if rest is None:
        return
    try:
        async for piece in rest:
            yield piece
    except ObjectNotReadError as error:
        raise Unavailable from error


async def file_pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    """Yields the file from its start."""
    file.seek(0)
    while piece := await asyncio.to_thread(file.read, _PIECE):
        yield piece
