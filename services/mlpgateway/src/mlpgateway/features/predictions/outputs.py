"""Answers that are too large for a row of the database: in the object store, until the prediction is forgotten."""

import uuid
from collections.abc import AsyncIterator
from typing import Final

from mlplace_runtime.objectstore import ObjectNotFoundError, ObjectStore

IN_ROW_BYTES: Final = 256 * 1024
FOLDER: Final = "mlpgateway/predictions"
ID_PART: Final = 2
"""Where the id of the prediction is in a key, between slashes."""


class Outputs:
    """An object is written before the row that names it. What no row names goes together with the prediction."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def keep(self, prediction_id: uuid.UUID, body: bytes) -> str:
        """Returns the key, which is this attempt's own: two gates do not write the same object."""
        key = f"{FOLDER}/{prediction_id}/{uuid.uuid4().hex}"
        await self._objects.put(key, body)
        return key

    async def read(self, key: str) -> bytes | None:
        """None when it was forgotten just now."""
        try:
            return await self._objects.get(key)
        except ObjectNotFoundError:
            return None

    def stream(self, key: str) -> AsyncIterator[bytes]:
        """Raises ObjectNotFoundError at the first piece."""
        return self._objects.stream(key)

    async def forget(self, prediction_id: uuid.UUID) -> None:
        """Also what a gate that was killed has left behind. Again is no error."""
        for key in await self._objects.list(f"{FOLDER}/{prediction_id}"):
            await self._objects.delete(key)
