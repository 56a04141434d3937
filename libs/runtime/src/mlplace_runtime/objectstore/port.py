"""What the platform asks of an object store."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class ObjectNotFoundError(Exception):
    """There is no object under that key."""


class ObjectNotStoredError(OSError):
    """The store is away, or refuses."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """`modified` is the store's own time."""

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
        """The object in pieces. Raises ObjectNotFoundError at the first."""
        ...

    async def list(self, prefix: str) -> list[str]:
        """Keys below the prefix, sorted."""
        ...

    def entries(self, prefix: str) -> AsyncIterator[Sequence[StoredObject]]:
        """All objects below the prefix, some at a time, in no order."""
        ...

    async def delete(self, key: str) -> None:
        """Deleting what is not there is no error."""
        ...
