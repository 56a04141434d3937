"""Models with a cache in a real MongoDB."""

from base64 import b64encode
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
from pymongo import AsyncMongoClient

from mlplace_contracts.events import ModelCaching, ModelChanged
from mlplace_runtime.secrets import Vault
from mlplace_testing.waiting import eventually

LOOPBACK = "127.0.0.0/8"


@pytest.fixture
def caching(kit) -> Callable[..., ModelChanged]:
    """Builds a model whose cache is at a URI."""

    def made(
        uri: str, *, most: int = 100, account_id: int = kit.ACME, envelope_key: bytes = b"0" * 32, **about: object
    ) -> ModelChanged:
        sealed = Vault(envelope_key).seal(uri, purpose=ModelCaching.purpose(account_id))
        rule = ModelCaching(address=b64encode(sealed).decode(), collection="answers", most=most)
        return kit.model_changed(caching=rule, **about)

    return made


@pytest.fixture
async def world(open_world) -> AsyncGenerator[Any]:
    """Opens a world that may call databases on its own host."""
    async with open_world(egress_allowed_networks=LOOPBACK) as opened:
        yield opened


@pytest.fixture
async def records(mongo_uri: str) -> AsyncGenerator[Any]:
    """Returns the owner's collection."""
    # Polls, because otherwise the driver opens a second connection and leaks its socket when it is closed meanwhile.
    async with AsyncMongoClient[dict[str, Any]](mongo_uri, serverMonitoringMode="poll") as client:
        yield client.get_default_database()["answers"]


@pytest.fixture
def warm() -> Callable[..., Any]:
    """Waits until the cache of a model that was called once is connected."""

    async def wait(world: Any, model_id: int = 500) -> None:
        async def ready() -> bool:
            return world.components.caches.find(model_id).ready

        await eventually(ready, seconds=60)

    return wait
