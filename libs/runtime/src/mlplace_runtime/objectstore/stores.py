"""Implements the port with the object_store library, for folders, memory and S3."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, MemoryStore, S3Store

from mlplace_runtime.objectstore.port import ObjectNotFoundError, ObjectNotStoredError, StoredObject


class Store:
    """Implements `ObjectStore`."""

    def __init__(self, backend: LocalStore | MemoryStore | S3Store) -> None:
        self._backend = backend

    async def put(self, key: str, data: bytes) -> None:
        try:
            await obstore.put_async(self._backend, _checked(key), data)
        except (BaseError, OSError) as error:
            raise ObjectNotStoredError(key) from error

    async def get(self, key: str) -> bytes:
        try:
            result = await obstore.get_async(self._backend, _checked(key))
            return bytes(await result.bytes_async())
        except FileNotFoundError as error:
            raise ObjectNotFoundError(key) from error

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        try:
            result = await obstore.get_async(self._backend, _checked(key))
        except FileNotFoundError as error:
            raise ObjectNotFoundError(key) from error
        async for piece in result.stream():
            yield bytes(piece)

    async def list(self, prefix: str) -> list[str]:
        keys: list[str] = []
        async for batch in obstore.list(self._backend, prefix or None):  # pyright: ignore[reportUnknownMemberType]  # partly typed overloads
            keys.extend(entry["path"] for entry in batch)
        return sorted(keys)

    async def entries(self, prefix: str) -> AsyncIterator[Sequence[StoredObject]]:
        async for batch in obstore.list(self._backend, prefix or None):  # pyright: ignore[reportUnknownMemberType]  # same
            yield [StoredObject(entry["path"], entry["size"], entry["last_modified"]) for entry in batch]

    async def delete(self, key: str) -> None:
        try:
            await obstore.delete_async(self._backend, _checked(key))
        except FileNotFoundError:
            return


def open_folder(folder: Path) -> Store:
    """Opens a store in a folder, which is created if it is missing."""
    return Store(LocalStore(folder, mkdir=True))


def open_memory() -> Store:
    return Store(MemoryStore())


def _checked(key: str) -> str:
    parts = key.split("/")
    if not key or "\0" in key or any(part in {"", ".", ".."} for part in parts):
        raise ValueError("an object key must not have an empty part, . or .. as a part, or NUL")
    return key
