"""Callers who leave and what they pay, and rights that end, at every RPC of callers. A new RPC takes part by its row in `entries.py`."""

import asyncio
import base64
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually
from services.mlpgateway.tests.entries import ENTRIES, Answers
from services.mlpgateway.tests.instances import CountingInstance
from services.mlpgateway.tests.rpcs import Rpc, Talking, client_rpc, refused_with, speech_rpc

RPCS = {name: entry for name, entry in ENTRIES.items() if not entry.path}
IN_PARTS = [name for name, entry in RPCS.items() if entry.answers is Answers.PARTS]
UNITS, PRICE = "3", 30
"""What each part reports, and what that costs."""
PART = Payload(json=f'{{"audio_base64":"{base64.b64encode(bytes(100_000)).decode()}","chunks":[]}}')


class Working(CountingInstance):
    """An instance that answers with parts of which none is the last, each when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = self.taken = 0
        self.go_on = asyncio.Event()

    async def __call__(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        self.asked += 1
        try:
            while True:
                await self.go_on.wait()
                self.go_on.clear()
                yield Answer(PART, {"Z-custom-billing": UNITS}, last=False, partial=True)
                self.taken += 1
        finally:
            self.left += 1

    async def was_asked(self) -> bool:
        return self.asked == 1

    async def says(self, parts: int) -> None:
        """Returns when the gate has taken so many parts, and has sent them on where they are sent as they come."""
        for number in range(1, parts + 1):
            self.go_on.set()
            await eventually(self._was_taken, until=lambda taken, at_least=number: taken >= at_least)

    async def _was_taken(self) -> int:
        return self.taken


@pytest.fixture
def working(world, kit) -> Working:
    billing = kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM})
    world.know(kit.model_changed(name="m", billing=billing))
    instance = Working()
    world.instance(instance).send_stream = instance.answers
    return instance


def called(world: Any, name: str, secret: str, rpc: Rpc) -> asyncio.Task[pb.ApiErrorProto]:
    parts = world.components
    asked = pb.ClientRequestProto(account="acme", model="m", authToken=secret)
    if name == "processStream":
        asked.partialPredict.CopyFrom(pb.PartialPredictRequestProto(data=pb.PayloadProto(json="1"), start=True))
    else:
        asked.predict.CopyFrom(pb.PredictRequestProto(data=pb.PayloadProto(json="1")))
    return asyncio.create_task(refused_with(name, client_rpc(parts), speech_rpc(parts), asked, rpc))


@pytest.mark.parametrize("parts", [0, 1, 2])
@pytest.mark.parametrize("name", RPCS)
async def test_work_for_a_caller_who_leaves_is_stopped_and_delivered_parts_are_charged(
    world, working, name, parts
) -> None:
    """No part of an answer that comes as a whole is delivered, so none is charged."""
    calling = called(world, name, world.key()["MLP-API-KEY"], Talking())
    await eventually(working.was_asked)
    await working.says(parts)
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    await eventually(working.was_left)
    assert world.components.admission.held == 0
    delivered = parts if name in IN_PARTS else 0
    assert [usage.amount_nano for usage in await world.usage()] == [delivered * PRICE] * bool(delivered)


@pytest.mark.parametrize("name", IN_PARTS)
async def test_stream_of_a_deleted_key_ends(world, kit, working, name) -> None:
    event, secret = world.key_event(kit.DEMO)
    world.know(event)
    rpc = Talking()
    calling = called(world, name, secret, rpc)
    await eventually(working.was_asked)
    working.go_on.set()
    await eventually(rpc.has_read)
    world.know(event.model_copy(update={"version": 2, "active": False}))
    await world.components.pipeline.open_streams.look()
    async with asyncio.timeout(60):
        error = await calling
    assert error.code == "mlp.gate.unauthorized"
    await eventually(working.was_left)
    assert [usage.amount_nano for usage in await world.usage()] == [PRICE]
