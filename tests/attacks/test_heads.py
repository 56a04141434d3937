"""Endless, slow or invalid request headers from unauthenticated clients, against every server behind the edge."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator

import httpx
import pytest

from tests.attacks.bystander import Bystander
from tests.attacks.installation import Target
from tests.attacks.wire import STRANGER, Wire, connect, connected, head

_ENDLESS_BYTES = 64 * 1024 * 1024
_SLOW = 1300
_PART = b"a" * 65536
_PATIENT_STRANGER = "127.0.0.4"
"""Source address, separate from that of the clients that exhaust the connections of one address."""
_BREATH_SECONDS = 0.005
"""Pause between two parts: a write to a closed connection discards an answer that was not read yet."""


@pytest.fixture(scope="module")
async def unfinished(target: Target) -> AsyncGenerator["asyncio.Task[tuple[int, float]]"]:
    """Sends endless headers while other tests run. Returns the status of the answer and the time until it came."""
    task = asyncio.create_task(_never_ends(target))
    yield task
    task.cancel()


@pytest.mark.usefixtures("unfinished")
class TestEndlessHeads:
    async def test_endless_head_gets_431_and_delays_nobody(self, target: Target, bystander: Bystander) -> None:
        async with bystander.undisturbed(), connected(target.port) as wire:
            await wire.say(b"GET /api/mlpcore/models HTTP/1.1\r\nHost: localhost\r\nX-Endless: ")
            hearing = asyncio.create_task(wire.answer())  # read while sending: a reset would discard an unread answer
            sent = await _pour(wire, _ENDLESS_BYTES)
            answer = await hearing
            assert answer.status == 431
            assert sent < _ENDLESS_BYTES

    async def test_head_of_many_small_headers_gets_431(self, target: Target) -> None:
        async with connected(target.port) as wire:
            await wire.say(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 20_000)
            assert (await wire.answer()).status == 431

    async def test_endless_target_is_refused(self, target: Target) -> None:
        async with connected(target.port) as wire:
            await wire.say(b"GET /" + b"a" * 1_000_000)
            assert (await wire.answer()).status in {414, 431}


class TestSlowHeads:
    async def test_slow_heads_on_1300_connections_leave_room_for_others(
        self, target: Target, bystander: Bystander
    ) -> None:
        before = target.open_files
        async with bystander.undisturbed():
            wires = [wire for wire in await asyncio.gather(*(_slow(target) for _ in range(_SLOW))) if wire]
            try:
                for _ in range(3):
                    await asyncio.sleep(0.5)
                    await asyncio.gather(*(wire.say(b"a") for wire in wires))
                assert await _answers(target)
                assert target.open_files - before < _SLOW
            finally:
                for wire in wires:
                    wire.close()

    async def test_connections_with_endless_slow_heads_are_closed(
        self, unfinished: "asyncio.Task[tuple[int, float]]"
    ) -> None:
        status, seconds = await unfinished
        assert (status, seconds < 60) == (408, True)


class TestInvalidRequests:
    async def test_invalid_requests_get_a_4xx_answer(self, target: Target) -> None:
        for data in (
            head("GET", "*"),
            head("CONNECT", "localhost:80"),
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ):
            async with connected(target.port) as wire:
                await wire.say(data)
                if data.startswith((b"GET *", b"CONNECT", b"GET / ")):
                    assert 400 <= (await wire.answer()).status < 500, data
                else:
                    assert await wire.ended(), data


async def _never_ends(target: Target) -> tuple[int, float]:
    async with connected(target.port, source=_PATIENT_STRANGER) as wire:
        began = time.monotonic()
        await wire.say(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        answer = await wire.answer(60)
        return answer.status, time.monotonic() - began


async def _pour(wire: Wire, most: int) -> int:
    """Returns how many bytes the server accepted before it closed the connection."""
    sent = 0
    while sent < most and await wire.say(_PART):
        sent += len(_PART)
        await asyncio.sleep(_BREATH_SECONDS)
    return sent


async def _slow(target: Target) -> Wire | None:
    with contextlib.suppress(OSError):
        wire = await connect(target.port, source=STRANGER)
        await wire.say(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        return wire
    return None


async def _answers(target: Target) -> bool:
    """Whether a new connection gets an answer to a health check, before slow heads are cut off."""
    async with httpx.AsyncClient(timeout=10) as client:
        return (await client.get(f"{target.url}/health/live")).is_success
