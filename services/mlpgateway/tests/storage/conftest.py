import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from mlplace_testing.waiting import eventually

ASYNC = {"Prefer": "respond-async"}


@pytest.fixture
async def served(world) -> AsyncGenerator[None]:
    """Runs a prediction runner and the cleanup."""
    tasks = [
        asyncio.create_task(loop())
        for loop in (world.components.entry_points.runner.run, world.components.entry_points.cleanup.run)
    ]
    yield
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.fixture
def caller(world) -> dict[str, str]:
    return world.key(permissions=("predict", "read", "write"))


@pytest.fixture
def limited(world, kit) -> Callable[..., None]:
    """Sets the storage limit of an account."""

    def limit(most: int, account_id: int = kit.DEMO) -> None:
        world.know(kit.limits_changed(account_id).model_copy(update={"storage_bytes": most}))

    return limit


@pytest.fixture
def storage(world, caller) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Reads the storage of an account over its route."""

    async def read(account: str = "demo", key: dict[str, str] | None = None) -> dict[str, Any]:
        answer = await world.client.get(f"/api/mlpgateway/account/{account}/storage", headers=key or caller)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        return found | {"kinds": {each["kind"]: (each["bytes"], each["items"]) for each in found["kinds"]}}

    return read


@pytest.fixture
def begun(world, caller) -> Callable[..., Awaitable[dict[str, Any]]]:
    async def begin(body: str = '{"text":"hi"}', **headers: str) -> dict[str, Any]:
        answer = await world.predict({**caller, **ASYNC, **headers}, body)
        assert answer.status_code == 202, answer.text
        return answer.json()

    return begin


@pytest.fixture
def over(world, caller) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Waits until a prediction is finished, and returns it."""

    async def wait(made: dict[str, Any]) -> dict[str, Any]:
        async def read() -> dict[str, Any]:
            return (await world.client.get(made["urls"]["get"], headers=caller)).json()

        return await eventually(
            read, until=lambda shown: shown["status"] in {"succeeded", "failed", "canceled"}, seconds=60
        )

    return wait
