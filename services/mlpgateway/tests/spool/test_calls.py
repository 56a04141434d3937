"""Calls and the spool: usage of every answer that left is written, and no answer leaves without."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.usage.frames import HEADER, frames_in
from mlpgateway.usage.segment import SUFFIX
from mlplace_contracts.events import decode
from mlplace_contracts.topics import USAGE


def on_the_disk(folder: Path) -> int:
    files = [path.read_bytes() for path in folder.rglob(f"*{SUFFIX}")]
    return sum(len(frames_in(data[len(HEADER) :], most=10**6).records) for data in files)


class Spooling:
    """The spool of a world, until it is ended."""

    def __init__(self, world) -> None:
        self._spool = world.components.spool
        self._task = asyncio.create_task(self._spool.run())

    async def ready(self) -> None:
        await asyncio.wait_for(self._spool.ready.wait(), 60)

    async def end(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


@pytest.fixture
async def ending(open_world):
    """A world and its spool, which a test can end in the middle of a call."""
    async with open_world(write=False) as world:
        spooling = Spooling(world)
        await spooling.ready()
        yield world, spooling
        await spooling.end()


class TestAnswer:
    @pytest.mark.parametrize("sync", ["interval", "always"])
    async def test_last_part_leaves_after_its_usage_is_written(self, open_world, kit, tmp_path: Path, sync) -> None:
        folder = tmp_path / "own"
        async with open_world(usage_spool_dir=folder, usage_sync=sync) as world:
            world.instance(kit.says("1", "2"))
            async with aclosing(world.components.pipeline.stream(kit.call_with(world.key()))) as answers:
                assert (await anext(answers)).payload.json == "1"
                assert on_the_disk(folder) == 0
                assert (await anext(answers)).payload.json == "2"
                assert on_the_disk(folder) == 1

    async def test_unrecordable_answer_is_an_error_and_free(self, ending, kit) -> None:
        world, spooling = ending
        world.know(kit.model_changed(billing=kit.CALLS))

        async def answers_too_late(_request) -> AsyncGenerator[Answer]:
            await spooling.end()
            yield Answer(Payload(json='"secret"'), {})

        world.instance(answers_too_late)
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.usage_not_recorded")
        assert answer.headers["retry-after"] == "1"
        assert "secret" not in answer.text
        assert await world.usage() == []
        await world.components.leases.release_all()
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO]

    async def test_unrecordable_stream_ends_in_an_error_line(self, ending, kit) -> None:
        world, spooling = ending

        async def ends_too_late(_request) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json="1"), {}, first=True, last=False, partial=True)
            await spooling.end()
            yield Answer(Payload(json="2"), {}, first=False, last=True, partial=True)

        world.instance(ends_too_late)
        answer = await world.predict(world.key(), '{"data": "5"}', "predict-with-config-v2-stream")
        first, last = answer.text.splitlines()
        assert (first, '"mlp.gate.usage_not_recorded"' in last) == ("1", True)

    async def test_no_instance_is_asked_while_nothing_can_be_written(self, ending, kit) -> None:
        world, spooling = ending
        instance = world.instance()
        await spooling.end()
        answer = await world.predict(world.key())
        assert answer.json()["code"] == "mlp.gate.usage_not_recorded"
        assert instance.requests == []
        ready = await world.client.get("/internal/mlpgateway/health/ready")
        assert (ready.status_code, ready.json()["status"]) == (503, "unavailable")
        assert "cannot be recorded" in ready.json()["missing"]["usage"]


class TestTrace:
    async def test_trace_of_the_call_continues_in_its_usage(self, world, kit) -> None:
        world.instance()
        parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        await world.predict({**world.key(), "traceparent": parent})
        await world.components.spool.flush(60)
        values = [envelope async for envelope in _envelopes(world.bus)]
        assert [(value.trace_parent or "").split("-")[1:2] for value in values] == [parent.split("-")[1:2]]


async def _envelopes(bus):
    subscription = await bus.subscribe([USAGE], group=None)
    for delivered in await subscription.poll(max_records=10, timeout_seconds=0):
        yield decode(delivered.record.value)[0]
    await subscription.close()
