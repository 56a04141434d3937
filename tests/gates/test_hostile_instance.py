"""A hostile instance sends arbitrary frames; callers of other instances get all their own answers.

Runs a hundred thousand frames with `MLP_PROOFS=full` (`make proofs`), else a quarter of that.
"""

import asyncio
import json
import os
from collections import Counter
from itertools import count

import grpc
import psutil
import pytest

from mlplace_contracts.events import (
    InstanceChanged,
    ModelBatches,
    ModelBilling,
    ModelChanged,
    ModelPublicity,
    ModelTimeouts,
)
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually
from tests.crashes.installation import PAYER, SECRET, Gate, Installation, Size
from tests.gates.callers import OK, Caller, caller_of
from tests.gates.conftest import Instances
from tests.gates.hostile_frames import conversations

_SEED = 1993
_CONVERSATIONS, _FRAMES = Size(full=os.environ.get("MLP_PROOFS") == "full").of((250, 400), (60, 400))
# Each conversation is a new connection of the same instance.
_CONNECTS_PER_MINUTE = "1000000"
_WARM = 25
_MOST_GROWTH = 64 * 1024 * 1024
_EVIL, _EVIL_INSTANCE = 501, 66
_ENDS_SECONDS = 120.0


async def _evil_model(installation: Installation) -> str:
    """A model of the same account whose calls are batched. Returns the token of its instance."""
    token = new_credential(account_id=PAYER, object_id=_EVIL_INSTANCE).text
    free = ModelBilling(
        enabled=False, unit=BillingUnit.CALLS, unit_price_nano=0, currency=Currency.RUBLE, free_unit_quota=0
    )
    model = ModelChanged(
        version=1, model_id=_EVIL, model_name="evil", account_id=PAYER, account_name="payer", task_type="custom",
        active=True, prototype=False, fittable=False, composite=False, hosting_type="EXTERNAL",
        reject_if_inactive=True, billing=free, timeouts=ModelTimeouts(pod_start=60, predict=5, fit=60),
        publicity=ModelPublicity(is_public=False, hidden=False, public_testing_allowed=False),
        batches=ModelBatches(size=4, wait_ms=5),
    )  # fmt: skip
    allowed = InstanceChanged(
        version=1, instance_id=_EVIL_INSTANCE, model_id=_EVIL, account_id=PAYER, accepts_connections=True,
        token_hash=KeyedHasher(bytes.fromhex(SECRET)).digest(token),
    )  # fmt: skip
    await installation.publish(model, allowed)
    return token


class Hostile:
    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._channel = channel
        descriptor = pb.ServiceDescriptorProto(methods={"predict_batch": pb.MethodDescriptorProto()})
        start = pb.StartServingProto(connectionToken=token, serviceDescriptor=descriptor)
        self._start = pb.ServiceToGateProto(startServing=start).SerializeToString()

    async def converse(self, frames: list[bytes]) -> None:
        """Send all frames, read the gate's messages, and expect the gate to end the stream after the last frame."""
        stream = self._channel.stream_stream("/com.mlp.gate.Gate/processAsync")()
        await stream.write(self._start)
        assert isinstance(await stream.read(), bytes)
        hearing = asyncio.create_task(_hear_out(stream))
        for frame in frames:
            await stream.write(frame)
        async with asyncio.timeout(_ENDS_SECONDS):
            await hearing


async def _hear_out(stream: "grpc.aio.StreamStreamCall[bytes, bytes]") -> None:
    while await stream.read() is not grpc.aio.EOF:
        pass


class Victims:
    """They call during the block; each checks that the answer is its own."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._numbers = count(1)
        self._stop = False
        self.answered = 0
        self.wrong: list[object] = []

    async def run(self) -> None:
        while not self._stop:
            number = next(self._numbers)
            call = self._over_http if number % 2 else self._over_grpc
            told = await call(number)
            if told == {"number": number, "part": 0, "filling": ""}:
                self.answered += 1
            else:
                self.wrong.append(told)

    def stop(self) -> None:
        self._stop = True

    async def _over_http(self, number: int) -> object:
        answer = await self._caller.http.post(self._caller.gate.predict_url, json={"number": number})
        return answer.json()

    async def _over_grpc(self, number: int) -> object:
        answer = await self._caller.stub.process(self._caller.request(number=number), timeout=60)
        kind = answer.predict if answer.HasField("predict") else answer.partialPredict
        return json.loads(kind.data.json or "null") or answer.error.code


async def _call_evil(caller: Caller, until: asyncio.Event, outcomes: Counter[str]) -> None:
    """Callers of the hostile instance get an answer or an error, but never hang."""
    predict = pb.PredictRequestProto(data=pb.PayloadProto(json='"x"'))
    request = pb.ClientRequestProto(account="payer", model="evil", authToken=caller.key, predict=predict, timeoutSec=5)
    while not until.is_set():
        answer = await caller.stub.process(request, timeout=120)
        outcomes[answer.error.code or OK] += 1
        await asyncio.sleep(0)


@pytest.mark.timeout(900)
class TestHostileInstance:
    async def test_frames_affect_no_other_call_and_leave_the_gate_unchanged(
        self, installation: Installation, instances: Instances
    ) -> None:
        key = await installation.publish_model(price_nano=0)
        gate = installation.gate(
            instance_connects_per_minute=_CONNECTS_PER_MINUTE, account_connects_per_minute=_CONNECTS_PER_MINUTE
        )
        await gate.process.start()
        await instances.run(1, gate)
        token = await _evil_model(installation)
        async with caller_of(gate, key) as caller, grpc.aio.insecure_channel(gate.grpc) as channel:
            await caller.until(OK)
            victims, over, outcomes = Victims(caller), asyncio.Event(), Counter[str]()
            calling = [asyncio.create_task(victims.run()) for _ in range(2)]
            calling += [asyncio.create_task(_call_evil(caller, over, outcomes)) for _ in range(4)]
            hostile, before, sent = Hostile(channel, token), 0, 0
            for turn, frames in enumerate(conversations(_SEED, number=_CONVERSATIONS, length=_FRAMES)):
                await hostile.converse(frames)
                sent += len(frames)
                if turn == _WARM:
                    before = _memory(gate)
            grown = _memory(gate) - before
            victims.stop()
            over.set()
            await asyncio.gather(*calling)
            assert sent >= _CONVERSATIONS * _FRAMES
            assert victims.wrong[:3] == []
            assert victims.answered > 20
            assert outcomes.total() > 20
            assert grown < _MOST_GROWTH
            await _is_well(caller)


def _memory(gate: Gate) -> int:
    assert gate.process.pid is not None
    return psutil.Process(gate.process.pid).memory_info().rss


async def _is_well(caller: Caller) -> None:
    """Only the honest instance is connected, and the gate is ready."""
    await eventually(caller.connected, until=lambda streams: streams == 1, seconds=60)
    assert (await caller.http.get(f"{caller.gate.process.url}/health/ready")).is_success
    assert (await caller.over_http(), await caller.over_grpc()) == (OK, OK)
    metrics = (await caller.http.get(f"{caller.gate.process.url}/metrics")).text
    assert "mlp_gateway_active_calls 0.0" in metrics
