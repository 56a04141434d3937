"""The object store interface of the platform."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class ObjectNotFoundError(Exception):
    """There is no object under that key."""


class ObjectNotStoredError(OSError):
    """The store is unreachable or refuses the write."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """`modified` is set by the store's clock."""

    key: str
    size: int
    modified: datetime


class ObjectStore(Protocol):
    async def put(self, key: str, data: bytes) -> None:
        """Raises ObjectNotStoredError."""
        ...

    async def get(self, key: str) -> bytes:
        """Raises ObjectNotFoundError."""
        ...

    def stream(self, key: str) -> AsyncIterator[bytes]:
        """Yields the object in pieces. Raises ObjectNotFoundError at the first one."""
        ...

    async def list(self, prefix: str) -> list[str]:
        """Returns the keys below the prefix, sorted."""
        ...

    def entries(self, prefix: str) -> AsyncIterator[Sequence[StoredObject]]:
        """Yields all objects below the prefix in batches, in no particular order."""
        ...

    async def delete(self, key: str) -> None:
        """Deletes the object; a missing one is not an error."""
        ...
