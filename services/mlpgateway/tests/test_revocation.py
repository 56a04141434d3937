"""Answers whose caller loses the right to call before their end: at every entry, for every way to lose it.

`http_instances/test_revocation.py` has requests and WebSockets that are passed on, `predictions` the events of predictions.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import orjson
import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.entry.call_options import SERVED
from mlplace_gateproto import gate_pb2 as pb
from mlplace_testing.waiting import eventually
from services.mlpgateway.tests.entries import ENTRIES, IN_EVENTS, STREAMED, Answers, body_of, raw
from services.mlpgateway.tests.instances import SAID, SOUND, CountingInstance
from services.mlpgateway.tests.revocations import ENDS, REVOCATIONS, TIMEOUTS, End, Held, Revocation
from services.mlpgateway.tests.rpcs import Rpc, Talking, client_rpc, refused_with, speech_rpc

ALL = {**ENTRIES, **STREAMED}
HERE = {name: end for name, end in ENDS.items() if name != "httpInterface"}
OVER_HTTP = [name for name, end in HERE.items() if end in {End.LINE, End.EVENT, End.CUT}]
OVER_GRPC = [name for name, end in HERE.items() if end is End.MESSAGE]
WHOLE = [name for name, end in HERE.items() if end is End.WHOLE]


class Model(CountingInstance):
    """A model's instance. It sends one part and goes on for ever, or one answer when it is told to."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        super().__init__()
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        self.asked.set()
        try:
            if self._whole:
                await self.go_on.wait()
                yield Answer(Payload(json=SAID), {})
            else:
                yield Answer(Payload(json=SAID), {}, last=False, partial=True)
                await asyncio.Event().wait()
        finally:
            self.left += 1


@pytest.fixture
def held(world, kit, clock):
    """Returns a function that opens an entry's model to a caller."""

    def opened(name: str, revocation: Revocation) -> tuple[Held, Model]:
        about = {
            "name": "m", "task_type": ALL[name].task_type, "billing": kit.CALLS, "publicity": revocation.shown,
            "visitor_calls_per_day": 1000, "timeouts": TIMEOUTS,
        }  # fmt: skip
        world.know(kit.model_changed(**about))
        model = Model(whole=ENDS[name] is End.WHOLE)
        world.instance(model).send_stream = model.answers
        return Held(world, kit, clock, about), model

    return opened


def rpc(world: Any, name: str, secret: str, caller: Rpc) -> asyncio.Task[pb.ApiErrorProto]:
    asked = pb.ClientRequestProto(account="acme", model="m", authToken=secret)
    if name == "processStream":
        asked.partialPredict.CopyFrom(pb.PartialPredictRequestProto(data=pb.PayloadProto(json="1"), start=True))
    else:
        asked.predict.CopyFrom(pb.PredictRequestProto(data=pb.PayloadProto(json="1")))
    parts = world.components
    return asyncio.create_task(refused_with(name, client_rpc(parts), speech_rpc(parts), asked, caller))


async def charged(held: Held) -> list[int]:
    return [usage.amount_nano for usage in await held.world.usage()]


class TestTable:
    def test_every_entry_and_every_body_that_asks_for_a_stream_has_a_row(self) -> None:
        assert set(ENDS) == {*SERVED, *(f"{name}, streamed" for name in IN_EVENTS)}

    def test_what_comes_in_parts_ends(self) -> None:
        for name, entry in ALL.items():
            if entry.answers in {Answers.PARTS, Answers.UNSEEN}:
                assert ENDS[name] not in {End.WHOLE, End.NONE}, name
            assert (ENDS[name] is End.NONE) == (entry.answers is Answers.NONE), name
        assert all(ENDS[name] not in {End.WHOLE, End.NONE} for name, served in SERVED.items() if served.streamed)


class TestStreams:
    @pytest.mark.parametrize("how", REVOCATIONS)
    @pytest.mark.parametrize("name", OVER_HTTP)
    async def test_it_ends_over_http_and_its_parts_are_charged(self, held, port, name, how) -> None:
        revocation = REVOCATIONS[how]
        caller, model = held(name, revocation)
        speech = ENDS[name] is End.CUT
        async with raw(port, ALL[name], {**caller.headers, "Connection": "close"}) as connection:
            async with asyncio.timeout(60):
                heard = await connection.reader.readuntil(SOUND if speech else b'"content":"a"')
            await caller.look()
            assert model.left == 0
            revocation.revoke(caller)
            await caller.look()
            heard += await connection.rest()
        await eventually(model.was_left)
        body, whole = body_of(heard)
        match ENDS[name]:
            case End.CUT:
                assert not whole
                assert revocation.code.encode() not in body
            case End.LINE:
                assert whole
                assert orjson.loads(body.splitlines()[-1])["code"] == revocation.code
            case _:
                assert whole
                assert b"[DONE]" not in body
                last = body.removesuffix(b"\n\n").rpartition(b"\n\n")[2]
                assert orjson.loads(last.removeprefix(b"data: "))["error"]["code"] == revocation.code
        assert await charged(caller) == [10]

    @pytest.mark.parametrize("how", REVOCATIONS)
    @pytest.mark.parametrize("name", OVER_GRPC)
    async def test_it_ends_over_grpc_and_its_parts_are_charged(self, held, name, how) -> None:
        revocation = REVOCATIONS[how]
        caller, model = held(name, revocation)
        talking = Talking()
        calling = rpc(caller.world, name, caller.secret, talking)
        await eventually(talking.has_read)
        await caller.look()
        assert model.left == 0
        revocation.revoke(caller)
        await caller.look()
        error = await asyncio.wait_for(calling, 60)
        await eventually(model.was_left)
        assert (error.code, error.status) == (revocation.code, revocation.status)
        assert await charged(caller) == [10]


class TestWholeAnswers:
    @pytest.mark.parametrize("how", ["key deleted", "account blocked", "account blocked for a debt", "model deleted"])
    @pytest.mark.parametrize("name", WHOLE)
    async def test_it_comes_and_is_charged(self, held, port, name, how) -> None:
        revocation = REVOCATIONS[how]
        caller, model = held(name, revocation)
        if ALL[name].path:
            async with raw(port, ALL[name], {**caller.headers, "Connection": "close"}) as connection:
                await self._revoked(caller, model, revocation)
                assert (await connection.rest()).startswith(b"HTTP/1.1 200 ")
        else:
            calling = rpc(caller.world, name, caller.secret, Talking())
            await self._revoked(caller, model, revocation)
            assert not (await asyncio.wait_for(calling, 60)).code
        assert len(await charged(caller)) == 1

    @staticmethod
    async def _revoked(caller: Held, model: Model, revocation: Revocation) -> None:
        await asyncio.wait_for(model.asked.wait(), 60)
        revocation.revoke(caller)
        await caller.look()
        model.go_on.set()
