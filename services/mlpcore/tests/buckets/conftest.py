"""The service at a local port, as programs reach it: signatures cover the request as it is on the wire."""

from collections.abc import AsyncGenerator

import httpx
import pytest
from fastapi import FastAPI

from mlpcore.main import SERVICE
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock, SystemClock
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.ports import free_port
from mlplace_testing.world import World

from .programs import Keys


@pytest.fixture
def clock() -> ManualClock:
    """Begins at the time of the machine: programs sign requests with it."""
    return ManualClock(SystemClock().now())


@pytest.fixture
async def address(app: FastAPI, state: CoreState) -> AsyncGenerator[str]:
    """The address of the service's own port, with its own bounds of bodies."""
    port = free_port()
    server = HttpServer(SERVICE.bounded(app, state.settings), listen("127.0.0.1", port))
    await server.start()
    yield f"http://127.0.0.1:{port}"
    await server.stop()


@pytest.fixture
async def http(address: str) -> AsyncGenerator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address, timeout=60) as opened:
        yield opened


@pytest.fixture
async def keys(http: httpx.AsyncClient, world: World, address: str) -> Keys:
    """Those of the account acme."""
    return await Keys.of(http, "acme", world.owner, address)


@pytest.fixture
async def foreign_keys(http: httpx.AsyncClient, world: World, address: str) -> Keys:
    """Those of the account globex."""
    return await Keys.of(http, "globex", world.stranger, address)
