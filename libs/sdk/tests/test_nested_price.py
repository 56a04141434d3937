"""The bound on the price of the answered call goes on to nested calls of the same payer, and to no others."""

import asyncio
from collections.abc import Mapping

import httpx
import pytest

import mlplace
from mlplace.context import Context, enter_context
from mlplace_gateproto import gate_pb2

PAYER = "1.3.payer"
PAID = {"MLP-BILLING-KEY": PAYER, "MLP-Max-Price": "0.05"}
CASES = pytest.mark.parametrize(
    ("called", "billing_key", "bound"),
    [
        pytest.param(PAID, None, "0.05", id="the payer of the call"),
        pytest.param(PAID, PAYER, "0.05", id="the same key by name"),
        pytest.param(PAID, "1.4.own", None, id="another key"),
        pytest.param({"MLP-Max-Price": "0.05"}, None, None, id="its own key, as the caller's pays for the call"),
        pytest.param({"MLP-BILLING-KEY": PAYER}, None, None, id="no bound"),
    ],
)


async def answering(called: Mapping[str, str], client: mlplace.AsyncClient | mlplace.GrpcClient) -> None:
    """Answers a call with these headers, by a nested one."""
    enter_context(Context("trace", called))
    await client.predict("acme", "m", 1)


class TestNestedCall:
    @CASES
    async def test_it_has_the_payers_bound_over_http(self, called, billing_key, bound) -> None:
        sent: list[httpx.Request] = []

        def answer(request: httpx.Request) -> httpx.Response:
            sent.append(request)
            return httpx.Response(200, json=1)

        transport = httpx.MockTransport(answer)
        async with mlplace.AsyncClient("http://a", "1.2.own", billing_key=billing_key, transport=transport) as client:
            await asyncio.create_task(answering(called, client))
        assert sent[0].headers.get("MLP-Max-Price") == bound
        assert sent[0].headers.get("MLP-BILLING-KEY") == (billing_key or called.get("MLP-BILLING-KEY"))

    @CASES
    async def test_it_has_the_payers_bound_over_grpc(self, gate, called, billing_key, bound) -> None:
        data = gate_pb2.PayloadProto(json="1")
        gate.replies = [[gate_pb2.ClientResponseProto(predict=gate_pb2.PredictResponseProto(data=data))]]
        async with mlplace.GrpcClient(gate.address, "1.2.own", billing_key=billing_key, secure=False) as client:
            await asyncio.create_task(answering(called, client))
        sent = dict(gate.calls[0].headers)
        assert sent.get("MLP-Max-Price") == bound
        assert sent.get("MLP-BILLING-KEY") == (billing_key or called.get("MLP-BILLING-KEY"))
