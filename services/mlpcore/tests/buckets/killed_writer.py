"""`python killed_writer.py DATABASE_URL FOLDER OPERATION POINT ACCOUNT`: a writer of objects that is killed.

The process kills itself with SIGKILL at a point: `announced`, when the row of a blob exists and no byte is stored;
`stored`, when the bytes are stored and no object has them; `uncommitted`, when the object is written and its transaction
is open; `committed`, after its transaction; `swept`, when the sweep has deleted bytes and not yet their row.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore import registry
from mlpcore.features.buckets.dependencies import bucket_contents_of
from mlpcore.features.buckets.objects import Attributes, IncomingObject
from mlpcore.features.buckets.sweeping import sweep
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock, SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.times import process_time
from mlplace_runtime.objectstore import open_folder
from mlplace_runtime.objectstore.stores import Store
from mlplace_runtime.secrets import Vault

CONTENT = b"new"


class Killer:
    def __init__(self, point: str) -> None:
        self._point = point
        self.stored = False

    def at(self, point: str) -> None:
        if point == self._point:
            os.kill(os.getpid(), signal.SIGKILL)


class KilledStore:
    """The store of the folder. Other operations are its own."""

    def __init__(self, store: Store, killer: Killer) -> None:
        self._store = store
        self._killer = killer
        self.get, self.stream, self.put, self.put_file = store.get, store.stream, store.put, store.put_file
        self.list, self.entries, self.delete_unfinished = store.list, store.entries, store.delete_unfinished

    async def put_pieces(self, key: str, pieces: AsyncIterator[bytes]) -> None:
        self._killer.at("announced")
        await self._store.put_pieces(key, pieces)
        self._killer.at("stored")
        self._killer.stored = True

    async def delete(self, key: str) -> None:
        await self._store.delete(key)
        self._killer.at("swept")


class KilledDatabase(Database):
    killer: Killer

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        async with super().transaction() as session:
            yield session
            if self.killer.stored:
                self.killer.at("uncommitted")
        if self.killer.stored:
            self.killer.at("committed")


async def _pieces() -> AsyncIterator[bytes]:
    yield CONTENT


async def main(url: str, folder: str, operation: str, point: str, account: str) -> None:
    killer = Killer(point)
    killer.stored = operation == "delete"
    database = KilledDatabase(url, application_name="killed")
    database.killer = killer
    state = CoreState(
        settings=MlpcoreSettings(database_url=url),
        database=database,
        clock=ManualClock(SystemClock().now() + timedelta(hours=1 if operation == "sweep" else 0)),
        hasher=KeyedHasher(b"a secret for tests only"),
        vault=Vault(bytes(32)),
        ports=registry.PORTS,
        objects=KilledStore(open_folder(Path(folder)), killer),
        shared_time=process_time,
    )
    contents = bucket_contents_of(state)
    match operation:
        case "put":
            incoming = IncomingObject(_pieces(), len(CONTENT))
            await contents.put(int(account), key="key", incoming=incoming, attributes=Attributes())
        case "delete":
            await contents.delete(int(account), ["key"])
        case _:
            await sweep(state)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
