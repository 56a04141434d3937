"""Endless bodies of unauthenticated clients do not use resources that others need."""

import asyncio
import time
from collections.abc import AsyncGenerator

import pytest

from tests.attacks.bystander import Bystander
from tests.attacks.installation import Target
from tests.attacks.people import Tenant
from tests.attacks.wire import Wire, connected, head

_MIB = 1024 * 1024


@pytest.fixture(scope="module")
async def dripping(target: Target, attacker: Tenant) -> AsyncGenerator["asyncio.Task[tuple[int, float]]"]:
    """Sends a body byte by byte while other tests run. Returns the status of the answer and the time until it came."""
    task = asyncio.create_task(_drop_by_drop(target, attacker))
    yield task
    task.cancel()


@pytest.mark.usefixtures("dripping")
class TestAnonymousBodies:
    async def test_unfinished_anonymous_bodies_take_no_memory(
        self, target: Target, bystander: Bystander, attacker: Tenant
    ) -> None:
        """Earlier, two of these requests took all the memory for requests."""
        begun = head("POST", f"{attacker.path}/predict", "Content-Length: 99000000", "Content-Type: application/json")
        before = target.resident_bytes
        async with bystander.undisturbed(), asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(self._refused(target, begun))
        assert target.resident_bytes - before < 64 * _MIB

    async def _refused(self, target: Target, begun: bytes) -> None:
        async with connected(target.port) as wire:
            await wire.say(begun + b'{"a": "')
            for _ in range(64):
                if not await wire.say(b"x" * _MIB):
                    break
            heard = await wire.answer()
            assert heard.status == 401

    async def test_connections_with_slow_anonymous_bodies_are_closed(
        self, dripping: "asyncio.Task[tuple[int, float]]"
    ) -> None:
        """With a valid key too: a body must arrive within a time limit."""
        status, seconds = await dripping
        assert (status, seconds < 90) == (408, True)


async def _drop_by_drop(target: Target, attacker: Tenant) -> tuple[int, float]:
    begun = head("POST", f"{attacker.path}/predict", "Content-Length: 1000", f"MLP-API-KEY: {attacker.key}")
    async with connected(target.port) as wire:
        began = time.monotonic()
        await wire.say(begun)
        drops = asyncio.create_task(_drip(wire))
        answer = await wire.answer(100)
        drops.cancel()
        return answer.status, time.monotonic() - began


async def _drip(wire: Wire) -> None:
    while await wire.say(b" "):  # noqa: ASYNC110  polls another process
        await asyncio.sleep(0.5)
