"""Errors after parts of an answer: the parts arrive before them, and nothing is charged, at every entry that answers in parts.

`http_instances` has requests and WebSockets that are passed on.
"""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlplace_contracts.events import ModelPublicity
from mlplace_gateproto import gate_pb2 as pb
from services.mlpgateway.tests.entries import ENTRIES, STREAMED, body_of, raw
from services.mlpgateway.tests.instances import SAID, SOUND, CountingInstance
from services.mlpgateway.tests.revocations import ENDS, End
from services.mlpgateway.tests.rpcs import Rpc, client_rpc, refused_with, speech_rpc

ALL = {**ENTRIES, **STREAMED}
IN_PARTS = [name for name, end in ENDS.items() if name != "httpInterface" and end not in {End.NONE, End.WHOLE}]
OVER_HTTP = [name for name in IN_PARTS if ALL[name].path]
OVER_GRPC = [name for name in IN_PARTS if not ALL[name].path]


class Failing(CountingInstance):
    """An instance that sends a part and then fails."""

    async def __call__(self, _request: InstanceRequest) -> AsyncGenerator[Answer]:
        yield Answer(Payload(json=SAID), {}, last=False, partial=True)
        raise InstanceError(code="own.busy", message="busy", status=429, details={}, headers={})


@pytest.fixture
def open_model(world, kit):
    """Returns a function that opens an entry's model, which has such an instance."""

    def opened(name: str) -> dict[str, str]:
        public = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
        about = {"billing": kit.CALLS, "publicity": public, "visitor_calls_per_day": 1000}
        world.know(kit.model_changed(name="m", task_type=ALL[name].task_type, **about))
        instance = Failing()
        world.instance(instance).send_stream = instance.answers
        return world.key()

    return opened


def first_of(name: str) -> bytes:
    """Returns what the caller gets of the first part, as it is sent."""
    return SOUND if ENDS[name] is End.CUT else b'"content":"a"'


async def charged(world: Any) -> list[int]:
    return [usage.amount_nano for usage in await world.usage()]


@pytest.mark.parametrize("name", OVER_HTTP)
async def test_parts_arrive_before_it_over_http(world, open_model, port, name) -> None:
    async with raw(port, ALL[name], {**open_model(name), "Connection": "close"}) as caller:
        head, _, _ = (heard := await caller.rest()).partition(b"\r\n\r\n")
    body, whole = body_of(heard)
    assert (head.split()[1], body.count(first_of(name)) > 0) == (b"200", True)
    speech = ENDS[name] is End.CUT
    assert (whole, b"own.busy" in body, b"[DONE]" in body) == (not speech, not speech, False)
    assert body.rfind(b"own.busy") == -1 or body.rfind(b"own.busy") > body.rfind(first_of(name))
    assert await charged(world) == []


@pytest.mark.parametrize("name", OVER_GRPC)
async def test_parts_arrive_before_it_over_grpc(world, open_model, name) -> None:
    caller, parts = Rpc(), world.components
    asked = pb.ClientRequestProto(account="acme", model="m", authToken=open_model(name)["MLP-API-KEY"])
    asked.predict.CopyFrom(pb.PredictRequestProto(data=pb.PayloadProto(json="1")))
    error = await refused_with(name, client_rpc(parts), speech_rpc(parts), asked, caller)
    assert (error.code, error.status) == ("own.busy", 429)
    assert len(caller.written) > 1
    assert await charged(world) == []
