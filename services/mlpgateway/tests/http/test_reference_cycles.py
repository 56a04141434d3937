"""The objects of a call are freed when it ends: collecting reference cycles would block other calls for milliseconds."""

import asyncio
import gc
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager

import pytest

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.context.metered_call import MeteredCall
from mlpgateway.entry.http import wire


@contextmanager
def collected() -> Generator[list[str]]:
    """Collects the type names of freed call objects that the garbage collector finds within the block."""
    found: list[str] = []
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield found
        gc.collect()
        found += [
            type(each).__name__ for each in gc.garbage if isinstance(each, Call | MeteredCall | wire.WhileConnected)
        ]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


@pytest.mark.parametrize("path", ["predict", "predict-with-config-v2-stream"])
async def test_calls_leave_no_reference_cycles(world, path: str) -> None:
    world.instance()
    await world.predict(world.key(), '{"data": "5"}', path)
    with collected() as found:
        for _ in range(3):
            assert (await world.predict(world.key(), '{"data": "5"}', path)).status_code == 200
    assert found == []


async def test_watched_calls_leave_no_reference_cycles(world, raw, monkeypatch) -> None:
    async def slow(_request: InstanceRequest) -> AsyncGenerator[Answer]:
        await asyncio.sleep(0.05)
        yield Answer(Payload(json="1"), {}, last=True)

    monkeypatch.setattr(wire, "UNWATCHED_SECONDS", 0.0)
    world.instance(slow)
    with collected() as found:
        for _ in range(3):
            request = raw(world.app, "/api/mlpgateway/account/acme/model/ner/predict", world.key())
            await request.task
            assert request.chunks
            del request
    assert found == []
