"""Outputs that are too large for a database row: in the object store, until the prediction is deleted."""

import uuid
from collections.abc import AsyncIterator
from typing import Final

from mlplace_runtime.objectstore import ObjectNotFoundError, ObjectStore

IN_ROW_BYTES: Final = 256 * 1024
FOLDER: Final = "mlpgateway/predictions"
ID_PART: Final = 2
"""The position of the prediction's id in a key, between slashes."""


class Outputs:
    """An object is written before the row that names it. Objects without a row are deleted with the prediction."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def keep(self, prediction_id: uuid.UUID, body: bytes) -> str:
        """Stores an output. Returns its key, which is unique to this attempt: two gates never write one object."""
        key = f"{FOLDER}/{prediction_id}/{uuid.uuid4().hex}"
        await self._objects.put(key, body)
        return key

    async def read(self, key: str) -> bytes | None:
        """Returns None when the output was deleted a moment ago."""
        try:
            return await self._objects.get(key)
        except ObjectNotFoundError:
            return None

    def stream(self, key: str) -> AsyncIterator[bytes]:
        """Raises ObjectNotFoundError at the first piece."""
        return self._objects.stream(key)

    async def forget(self, prediction_id: uuid.UUID) -> None:
        """Deletes all objects of the prediction, including those of gates that were killed. Idempotent."""
        for key in await self._objects.list(f"{FOLDER}/{prediction_id}"):
            await self._objects.delete(key)
