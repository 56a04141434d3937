"""MongoDB for tests: one server for a test process, a database of its own for each test.

A container where a Docker engine answers, else the server that MLP_TEST_MONGO names as mongodb://host:port; without
these the tests are skipped.
"""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from pymongo import AsyncMongoClient
from pymongo.errors import PyMongoError
from testcontainers.core.container import DockerContainer

from mlplace_testing.containers import NoServerError, OwnServer, address_or_skip, answers, free_port, running

MONGO_IMAGE = "mongo:8"
_PORT = 27017
_run = uuid4().hex[:8]
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class MongoServer(OwnServer):
    """`address` is a URI without a database."""

    address: str

    async def ready(self) -> None:
        async def probe() -> None:
            async with AsyncMongoClient[dict[str, Any]](self.address, serverSelectionTimeoutMS=1000) as client:
                await client.admin.command("ping")

        await answers(probe, PyMongoError, seconds=100)


@pytest.fixture(scope="session")
async def mongo_server() -> AsyncGenerator[MongoServer]:
    port = free_port()
    async with AsyncExitStack() as stack:
        try:
            container = await stack.enter_async_context(running(lambda: _mongo(port)))
            server = MongoServer(f"mongodb://127.0.0.1:{port}", container=container)
        except NoServerError as reason:
            server = MongoServer(address_or_skip("MLP_TEST_MONGO", reason))
        await server.ready()
        yield server


def _mongo(port: int) -> DockerContainer:
    return DockerContainer(MONGO_IMAGE).with_bind_ports(_PORT, port)


@pytest.fixture
async def mongo_uri(mongo_server: MongoServer) -> AsyncGenerator[str]:
    """Of a database that is dropped after the test."""
    name = f"t{_run}-{next(_numbers)}"
    yield f"{mongo_server.address}/{name}"
    async with AsyncMongoClient[dict[str, Any]](mongo_server.address) as client:
        await client.drop_database(name)
