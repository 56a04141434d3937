"""A caller that disconnects stops the model, and a slow reader slows it down: at its gate and at another one."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mlplace_testing.waiting import eventually
from tests.crashes.installation import Installation
from tests.gates.callers import OK, Caller, caller_of
from tests.gates.conftest import Instances, OpensPlatform, Platform

_NOWHERE = "127.0.0.1:9"
_LONG = {"parts": 3, "milliseconds": 600_000}
_SIZE = 64 * 1024
_MANY = 1200
_MOST_UNREAD = 40 * 1024 * 1024
"""Two windows of 256 KiB, and the network buffers of two or three connections."""
_numbers = count(100)


@pytest.fixture(scope="module", params=["its own gate", "another gate"])
def where(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
async def platform(open_platform: OpensPlatform, where: str) -> AsyncGenerator[Platform]:
    """A separate platform for each: the gates of one platform know each other."""
    async with open_platform() as opened:
        yield opened


@pytest.fixture(scope="module")
async def caller(installation: Installation, instances: Instances, where: str) -> AsyncGenerator[Caller]:
    key = await installation.publish_model(price_nano=0)
    reached = installation.gate()
    await reached.process.start()
    gate = reached
    if where == "another gate":
        gate = installation.gate(grpc_advertised_address=_NOWHERE)
        await gate.process.start()
    await instances.run(1, reached)
    async with caller_of(gate, key) as opened:
        await opened.until(OK)
        yield opened


def _lines(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().splitlines() if line] if path.exists() else []


async def _written(instances: Instances, suffix: str, number: int) -> None:
    path = instances.asked_file.with_name(instances.asked_file.name + suffix)

    async def there() -> bool:
        return number in _lines(path)

    await eventually(there, seconds=60)


@asynccontextmanager
async def _raw(caller: Caller, question: dict[str, int], *, accept: str) -> AsyncGenerator[asyncio.StreamReader]:
    """A separate connection with a streamed answer, aborted at the end."""
    address = urlsplit(caller.gate.process.url)
    body = json.dumps({"data": json.dumps(question)})
    head = (
        "POST /api/mlpgateway/account/owner/model/answer/predict-with-config-v2-stream HTTP/1.1\r\n"
        f"Host: gate\r\nAccept: {accept}\r\nMLP-API-KEY: {caller.key}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    # A small buffer, since the test should hold little data itself.
    reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=_SIZE)
    writer.write((head + body).encode())
    await writer.drain()
    try:
        yield reader
    finally:
        writer.transport.abort()


class TestLeaving:
    async def test_cancels_the_call_at_the_model(self, caller: Caller, instances: Instances) -> None:
        for leaves in (_unary_over_http, _unary_over_grpc, _stream_over_grpc, _lines_over_http, _events_over_http):
            number = next(_numbers)
            await leaves(caller, number, lambda number=number: _written(instances, "", number))
            await _written(instances, ".cancelled", number)
        assert await caller.over_http() == OK


Asked = Callable[[], Awaitable[None]]


async def _unary_over_http(caller: Caller, number: int, asked: Asked) -> None:
    call = asyncio.create_task(caller.http.post(caller.gate.predict_url, json={"number": number, **_LONG}))
    await asked()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)


async def _unary_over_grpc(caller: Caller, number: int, asked: Asked) -> None:
    call = caller.stub.process(caller.request(**{**_LONG, "number": number}))
    await asked()
    call.cancel()


async def _stream_over_grpc(caller: Caller, number: int, asked: Asked) -> None:
    call = caller.stub.processResponseStream(caller.request(**{**_LONG, "number": number}))
    await asked()
    call.cancel()


async def _lines_over_http(caller: Caller, number: int, asked: Asked) -> None:
    async with _raw(caller, {"number": number, **_LONG}, accept="*/*"):
        await asked()


async def _events_over_http(caller: Caller, number: int, asked: Asked) -> None:
    async with _raw(caller, {"number": number, **_LONG}, accept="text/event-stream"):
        await asked()


class TestReadingSlowly:
    async def test_slows_the_model_down_and_loses_nothing(self, caller: Caller, instances: Instances) -> None:
        made = instances.asked_file.with_name(instances.asked_file.name + ".made")
        question = {"number": next(_numbers), "parts": _MANY, "size": _SIZE}
        async with _raw(caller, question, accept="*/*") as reader:
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 200")
            await _stands_still(lambda: len(_lines(made)))
            assert len(_lines(made)) * _SIZE < _MOST_UNREAD
            parts = 0
            while parts < _MANY:
                parts += (await asyncio.wait_for(reader.read(_SIZE), 60)).count(b"{")
            assert _lines(made) == list(range(_MANY))


async def _stands_still(value: Callable[[], int]) -> None:
    """Wait until the value stops changing."""
    seen: list[int] = []

    async def same() -> bool:
        seen.append(value())
        return seen[-1] > 0 and len(seen) > 25 and len(set(seen[-25:])) == 1

    await eventually(same, seconds=60)
