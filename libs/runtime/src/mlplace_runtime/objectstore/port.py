"""The object store interface of the platform."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol


class ObjectNotFoundError(Exception):
    """There is no object under that key."""


class ObjectNotReadError(OSError):
    """The store is unreachable or refuses the read."""


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

    async def put_file(self, key: str, file: BinaryIO) -> None:
        """Stores an open file of any size from its start, in parts. Readers see all of it or nothing.

        Raises ObjectNotStoredError.
        """
        ...

    async def put_pieces(self, key: str, pieces: AsyncIterator[bytes]) -> None:
        """Like `put_file`, for pieces that come one after the other; holds about 15 MB of them in memory.

        Raises ObjectNotStoredError, and what `pieces` raises; nothing is stored then.
        """
        ...

    async def get(self, key: str) -> bytes:
        """Raises ObjectNotFoundError, ObjectNotReadError."""
        ...

    def stream(self, key: str, *, start: int = 0, length: int | None = None) -> AsyncIterator[bytes]:
        """Yields the object in pieces, or `length` bytes of it from `start` on. Both must lie within the object.

        Raises ObjectNotReadError, and ObjectNotFoundError at the first piece.
        """
        ...

    async def list(self, prefix: str) -> list[str]:
        """Returns the keys below the prefix, sorted."""
        ...

    def entries(self, prefix: str) -> AsyncIterator[Sequence[StoredObject]]:
        """Yields all objects below the prefix in batches, in no particular order."""
        ...

    async def delete_unfinished(self, prefix: str, *, before: datetime) -> int:
        """Deletes what killed processes have left below the prefix of objects that they had not stored to their end.

        `before`: when the last byte was written. Returns the number. A bucket deletes such parts by a rule of its own.
        """
        ...

    async def delete(self, key: str) -> None:
        """Deletes the object; a missing one is not an error."""
        ...
