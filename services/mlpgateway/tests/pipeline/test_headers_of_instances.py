"""Which headers of an instance callers see: the gate's own come from the gate only, at every entry."""

from collections.abc import AsyncGenerator
from typing import cast

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.headers import MOST_HEADERS, of_refusal, to_caller
from mlpgateway.call.transport import InstanceError
from mlpgateway.http2.call import Call as Context
from mlpgateway.instances.http import headers as passed_on
from mlplace_contracts.limits import KeyLimits, RequestRule
from mlplace_gateproto import gate_pb2 as pb
from services.mlpgateway.tests.rpcs import Rpc, answered, client_rpc, refused_with, speech_rpc

FORGED = dict.fromkeys(
    (
        "MLP-Cost", "MLP-Units", "RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "Z-Wait-Phase", "z-wait-MS",
        "Z-idempotent-replayed", "Z-Cache", "Z-requestId", "Retry-After",
    ),
    "forged",
)  # fmt: skip
GIVEN = {**FORGED, "Z-Own": "x"}


def asked(world) -> pb.ClientRequestProto:
    key = world.key()["MLP-API-KEY"]
    predict = pb.PredictRequestProto(data=pb.PayloadProto(json="1"))
    return pb.ClientRequestProto(account="acme", model="ner", authToken=key, predict=predict)


def answers(headers: dict[str, str]):
    async def script(_request: object) -> AsyncGenerator[Answer]:
        yield Answer(Payload(json="{}"), headers)

    return script


def test_one_set_holds_for_answers_and_refusals() -> None:
    assert to_caller(GIVEN) == of_refusal(GIVEN) == {"Z-Own": "x"}
    raw = [(name.encode(), value.encode()) for name, value in GIVEN.items() if name != "Retry-After"]
    assert passed_on.to_caller(raw, {}) == [(b"z-own", b"x")]


class TestForged:
    @pytest.mark.parametrize("name", ["process", "processResponseStream", "processStream"])
    async def test_refusal_over_grpc_has_none(self, world, kit, name) -> None:
        world.know(kit.model_changed())
        world.instance(kit.fails(InstanceError(code="own.no", message="no", status=400, details={}, headers=GIVEN)))
        rpc, parts = Rpc(), world.components
        error = await refused_with(name, client_rpc(parts), speech_rpc(parts), asked(world), rpc)
        assert (error.code, rpc.told["z-own"]) == ("own.no", "x")
        assert "forged" not in rpc.told.values()

    async def test_answer_over_http_has_none(self, world, kit) -> None:
        world.know(kit.model_changed())
        world.instance(answers(GIVEN))
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.headers["z-own"]) == (200, "x")
        assert "forged" not in answer.headers.values()

    async def test_answer_over_grpc_has_none(self, world, kit) -> None:
        world.know(kit.model_changed())
        world.instance(answers(GIVEN))
        answer = await answered(client_rpc(world.components), asked(world), cast("Context", Rpc()))
        assert answer.headers["Z-Own"] == "x"
        assert "forged" not in answer.headers.values()


class TestMany:
    async def test_they_displace_none_of_the_gate(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(answers({f"Z-{number}": "x" for number in range(100)}))
        limits = KeyLimits(requests=RequestRule(calls=5, period="DAY", period_seconds=86_400))
        headers = {**world.key(limits=limits), "Idempotency-Key": "one"}
        first, again = [await world.predict(headers) for _ in range(2)]
        for answer in (first, again):
            assert answer.status_code == 200
            assert sum(name[2:].isdigit() for name in answer.headers) == MOST_HEADERS
        assert {"mlp-cost", "ratelimit", "x-ratelimit-limit"} <= {*first.headers}
        assert again.headers["z-idempotent-replayed"] == "true"
