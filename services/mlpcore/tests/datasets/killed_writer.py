"""`python killed_writer.py DATABASE_URL FOLDER OPERATION POINT ACCOUNT DATASET`: a writer of datasets that is killed.

The process kills itself with SIGKILL at a point: `stored`, when an object is stored and nothing refers to it yet;
`uncommitted`, when the row is written and its transaction is open; `committed`, when the transaction has ended, before
an object that lost its row is deleted.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore import registry
from mlpcore.features.datasets.dependencies import dataset_contents
from mlpcore.features.datasets.schemas import CreateOrUpdateDatasetInfoData
from mlpcore.features.datasets.uploads import Bound, Received, receive_text
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.objectstore import open_folder
from mlplace_runtime.objectstore.stores import Store
from mlplace_runtime.secrets import Vault

CONTENT = '{"texts": ["new"]}'


class Killer:
    def __init__(self, point: str) -> None:
        self._point = point
        self.writing = False
        """Whether the object of an upload is stored, or there is none."""

    def at(self, point: str) -> None:
        if point == self._point:
            os.kill(os.getpid(), signal.SIGKILL)


class KilledStore:
    """The store of the folder. Reads are its own."""

    def __init__(self, store: Store, killer: Killer) -> None:
        self._store = store
        self._killer = killer
        self.get, self.stream, self.put, self.put_pieces = store.get, store.stream, store.put, store.put_pieces
        self.delete = store.delete
        self.list, self.entries, self.delete_unfinished = store.list, store.entries, store.delete_unfinished

    async def put_file(self, key: str, file: BinaryIO) -> None:
        await self._store.put_file(key, file)
        self._killer.at("stored")
        self._killer.writing = True


class KilledDatabase(Database):
    killer: Killer

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        async with super().transaction() as session:
            yield session
            if self.killer.writing:
                self.killer.at("uncommitted")
        if self.killer.writing:
            self.killer.at("committed")


async def main(url: str, folder: str, operation: str, point: str, account: str, dataset: str) -> None:
    killer = Killer(point)
    killer.writing = operation == "delete"
    database = KilledDatabase(url, application_name="killed")
    database.killer = killer
    state = CoreState(
        settings=MlpcoreSettings(database_url=url),
        database=database,
        clock=SystemClock(),
        hasher=KeyedHasher(b"a secret for tests only"),
        vault=Vault(bytes(32)),
        ports=registry.PORTS,
        objects=KilledStore(open_folder(Path(folder)), killer),
    )
    contents, account_id, dataset_id = dataset_contents(state), int(account), int(dataset)
    match operation:
        case "create":
            data = CreateOrUpdateDatasetInfoData(name="new", data_type="json/texts")
            await contents.create(account_id=account_id, data=data, source=_source, user_id=None)
        case "replace":
            await contents.replace(account_id=account_id, dataset_id=dataset_id, source=_source, user_id=None)
        case _:
            await contents.delete(account_id=account_id, dataset_id=dataset_id)


async def _source(file: BinaryIO, bound: Bound) -> Received:
    return receive_text(CONTENT, file, bound=bound)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
