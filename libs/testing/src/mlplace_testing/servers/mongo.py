"""MongoDB for tests: one server per test process, one database per test.

Uses a container if a Docker engine answers, or else the server at MLP_TEST_MONGO (mongodb://host:port). Without either
the tests are skipped.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient
from pymongo.errors import PyMongoError
from testcontainers.core.container import DockerContainer

from mlplace_testing.ports import free_port
from mlplace_testing.servers.containers import OwnServer, answers, own_or_given

MONGO_IMAGE = "mongo:8"
_PORT = 27017
_run = uuid4().hex[:8]
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class MongoServer(OwnServer):
    """`address` is a URI without a database.

    Uses the blocking driver in threads: the asynchronous client leaks a socket if it is closed while connecting.
    """

    address: str

    async def ready(self) -> None:
        await answers(lambda: asyncio.to_thread(self._ping), PyMongoError, seconds=100)

    async def drop(self, database: str) -> None:
        await asyncio.to_thread(self._drop, database)

    def _ping(self) -> None:
        with MongoClient[dict[str, Any]](self.address, serverSelectionTimeoutMS=1000) as client:
            client.admin.command("ping")

    def _drop(self, database: str) -> None:
        with MongoClient[dict[str, Any]](self.address) as client:
            client.drop_database(database)


@pytest.fixture(scope="session")
async def mongo_server() -> AsyncGenerator[MongoServer]:
    port = free_port()
    make = partial(_mongo, port)
    async with own_or_given(MongoServer, make, f"mongodb://127.0.0.1:{port}", "MLP_TEST_MONGO") as server:
        await server.ready()
        yield server


def _mongo(port: int) -> DockerContainer:
    return DockerContainer(MONGO_IMAGE).with_bind_ports(_PORT, port)


@pytest.fixture
async def mongo_uri(mongo_server: MongoServer) -> AsyncGenerator[str]:
    """URI of a database that is dropped after the test."""
    name = f"t{_run}-{next(_numbers)}"
    yield f"{mongo_server.address}/{name}"
    await mongo_server.drop(name)
