"""Redis for tests: one server per test process, one key prefix per test.

Uses a container if a Docker engine answers, or else the server at the URL MLP_TEST_REDIS. Without either the tests are
skipped.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import partial
from itertools import count
from uuid import uuid4

import pytest
import redis.asyncio
from redis.exceptions import RedisError
from testcontainers.core.container import DockerContainer

from mlplace_runtime.quotas.redis import RedisSettings
from mlplace_testing.ports import free_port
from mlplace_testing.servers.containers import OwnServer, answers, own_or_given

REDIS_IMAGE = "redis:7"
_PORT = 6379
_run = uuid4().hex[:8]
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class RedisServer(OwnServer):
    """A server without persistence: killing it loses its data."""

    url: str

    async def forget(self) -> None:
        async with redis.asyncio.Redis.from_url(self.url) as client:  # pyright: ignore[reportUnknownMemberType]  # untyped arguments
            await client.flushall()  # pyright: ignore[reportUnknownMemberType]  # untyped arguments

    async def ready(self) -> None:
        async def probe() -> None:
            async with redis.asyncio.Redis.from_url(self.url) as client:  # pyright: ignore[reportUnknownMemberType]  # untyped arguments
                await client.client_id()  # pyright: ignore[reportUnknownMemberType]  # untyped arguments

        await answers(probe, RedisError, OSError)


@pytest.fixture(scope="session")
async def redis_server() -> AsyncGenerator[RedisServer]:
    port = free_port()
    make = partial(_redis, port)
    async with own_or_given(RedisServer, make, f"redis://127.0.0.1:{port}", "MLP_TEST_REDIS") as server:
        await server.ready()
        yield server


def _redis(port: int) -> DockerContainer:
    return DockerContainer(REDIS_IMAGE, command='redis-server --save ""').with_bind_ports(_PORT, port)


@pytest.fixture
def redis_settings(redis_server: RedisServer) -> RedisSettings:
    """Has a long time limit, because on a busy machine a healthy server may answer late."""
    return RedisSettings(redis_server.url, prefix=f"t{_run}-{next(_numbers)}:", timeout_seconds=5.0)
