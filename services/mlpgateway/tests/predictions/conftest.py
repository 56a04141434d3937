"""A gate that serves predictions, and a caller who pays for them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest


@pytest.fixture
async def served(world) -> AsyncGenerator[None]:
    """Runs a prediction runner."""
    task = asyncio.create_task(world.components.entry_points.runner.run())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@pytest.fixture
def caller(world, kit) -> dict[str, str]:
    world.know(kit.model_changed(billing=kit.CALLS))
    return world.key(permissions=("predict", "write"))
