"""Implements the port with the object_store library, for folders, memory and S3."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, MemoryStore, S3Store

from mlplace_runtime.objectstore.port import ObjectNotFoundError, ObjectNotReadError, ObjectNotStoredError, StoredObject

if TYPE_CHECKING:
    from obstore import GetOptions

_PART_BYTES: Final = 5 * 1024 * 1024  # the smallest part that S3 takes
_PARTS_AT_ONCE: Final = 2
_UNFINISHED: Final = re.compile(r".+#[0-9]+")
_PIECE_BYTES: Final = 256 * 1024  # the library would collect 10 MB, and a slow reader would hold several of them


class Store:
    """Implements `ObjectStore`."""

    def __init__(self, backend: LocalStore | MemoryStore | S3Store, folder: Path | None = None) -> None:
        """`folder`: that of the backend, if it is one."""
        self._backend = backend
        self._folder = folder

    async def put(self, key: str, data: bytes) -> None:
        try:
            await obstore.put_async(self._backend, _checked(key), data)
        except (BaseError, OSError) as error:
            raise ObjectNotStoredError(key) from error

    async def put_file(self, key: str, file: BinaryIO) -> None:
        file.seek(0)
        try:
            await obstore.put_async(
                self._backend, _checked(key), file, chunk_size=_PART_BYTES, max_concurrency=_PARTS_AT_ONCE
            )
        except (BaseError, OSError) as error:
            raise ObjectNotStoredError(key) from error

    async def put_pieces(self, key: str, pieces: AsyncIterator[bytes]) -> None:
        source = _Source(pieces)
        try:
            await obstore.put_async(
                self._backend, _checked(key), source, chunk_size=_PART_BYTES, max_concurrency=_PARTS_AT_ONCE
            )
        except (BaseError, OSError) as error:
            if source.failure is not None:
                raise source.failure from None
            raise ObjectNotStoredError(key) from error

    async def get(self, key: str) -> bytes:
        try:
            result = await obstore.get_async(self._backend, _checked(key))
            return bytes(await result.bytes_async())
        except FileNotFoundError as error:
            raise ObjectNotFoundError(key) from error
        except (BaseError, OSError) as error:
            raise ObjectNotReadError(key) from error

    async def stream(self, key: str, *, start: int = 0, length: int | None = None) -> AsyncIterator[bytes]:
        options: GetOptions = {}
        if length is not None:
            options = {"range": (start, start + length)}
        elif start:
            options = {"range": {"offset": start}}
        try:
            result = await obstore.get_async(self._backend, _checked(key), options=options)
        except FileNotFoundError as error:
            raise ObjectNotFoundError(key) from error
        except (BaseError, OSError) as error:
            raise ObjectNotReadError(key) from error
        pieces = result.stream(min_chunk_size=_PIECE_BYTES).__aiter__()
        while True:
            try:
                piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except (BaseError, OSError) as error:
                raise ObjectNotReadError(key) from error
            yield bytes(piece)

    async def list(self, prefix: str) -> list[str]:
        keys: list[str] = []
        async for batch in obstore.list(self._backend, prefix or None):  # pyright: ignore[reportUnknownMemberType]  # partly typed overloads
            keys.extend(entry["path"] for entry in batch)
        return sorted(keys)

    async def entries(self, prefix: str) -> AsyncIterator[Sequence[StoredObject]]:
        async for batch in obstore.list(self._backend, prefix or None):  # pyright: ignore[reportUnknownMemberType]  # same
            yield [StoredObject(entry["path"], entry["size"], entry["last_modified"]) for entry in batch]

    async def delete_unfinished(self, prefix: str, *, before: datetime) -> int:
        if self._folder is None:
            return 0
        return await asyncio.to_thread(_delete_unfinished, self._folder / _checked(prefix), before)

    async def delete(self, key: str) -> None:
        try:
            await obstore.delete_async(self._backend, _checked(key))
        except FileNotFoundError:
            return


class _Source:
    """Notes the error that the pieces raise: the library could pass it on as one of its own."""

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        self.failure: Exception | None = None

    def __aiter__(self) -> "_Source":
        return self

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._pieces)
        except StopAsyncIteration:
            raise
        except Exception as error:
            self.failure = error
            raise


def open_folder(folder: Path) -> Store:
    """Opens a store in a folder, which is created if it is missing."""
    return Store(LocalStore(folder, mkdir=True), folder)


def open_memory() -> Store:
    return Store(MemoryStore())


def _delete_unfinished(folder: Path, before: datetime) -> int:
    """The library writes KEY#NUMBER, renames it at the end, and leaves such files out of its lists."""
    found = 0
    for path in folder.rglob("*#*"):
        with suppress(FileNotFoundError):  # it was finished meanwhile
            if _UNFINISHED.fullmatch(path.name) and datetime.fromtimestamp(path.stat().st_mtime, UTC) <= before:
                path.unlink()
                found += 1
    return found


def _checked(key: str) -> str:
    parts = key.split("/")
    if not key or "\0" in key or any(part in {"", ".", ".."} for part in parts):
        raise ValueError("an object key must not have an empty part, . or .. as a part, or NUL")
    return key
