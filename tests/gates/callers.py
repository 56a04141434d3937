"""Single calls made directly to a gate, over HTTP and gRPC."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import grpc
import httpx

from mlplace_gateproto import gate_pb2, gate_pb2_grpc
from mlplace_testing.waiting import eventually
from tests.crashes.installation import SECRET, Gate

_SECONDS = 30.0
OK = "ok"


@dataclass(frozen=True, slots=True)
class Caller:
    """Methods return `ok` or the error code."""

    gate: Gate
    key: str
    http: httpx.AsyncClient
    stub: "gate_pb2_grpc.GateAsyncStub"

    async def over_http(self, **question: int) -> str:
        answer = await self.http.post(self.gate.predict_url, json={"number": 1, **question})
        return OK if answer.is_success else str(answer.json()["code"])

    async def over_grpc(self, **question: int) -> str:
        answer = await self.stub.process(self.request(**question), timeout=_SECONDS)
        return answer.error.code or OK

    async def stream_over_http(self, parts: int) -> list[object]:
        """The numbers of the parts, and the error code at the end if there is one."""
        body = {"data": json.dumps({"number": 1, "parts": parts})}
        async with self.http.stream("POST", f"{self.gate.predict_url}-with-config-v2-stream", json=body) as answer:
            told = [json.loads(line) async for line in answer.aiter_lines()]
        return [line.get("part", line.get("code")) for line in told]

    async def stream_over_grpc(self, parts: int, milliseconds: int = 0) -> AsyncIterator[object]:
        call = self.stub.processResponseStream(self.request(parts=parts, milliseconds=milliseconds), timeout=_SECONDS)
        async for message in call:
            if message.HasField("error"):
                yield message.error.code
            elif message.partialPredict.data.json:
                yield json.loads(message.partialPredict.data.json)["part"]

    def request(self, **question: int) -> gate_pb2.ClientRequestProto:
        data = gate_pb2.PayloadProto(json=json.dumps({"number": 1, **question}))
        predict = gate_pb2.PredictRequestProto(data=data)
        return gate_pb2.ClientRequestProto(account="owner", model="answer", authToken=self.key, predict=predict)

    async def connected(self) -> int:
        """The number of instance streams at the gate."""
        answer = await self.http.get(
            f"{self.gate.process.url}/internal/mlpgateway/instances", headers={"MLP-INTERNAL-TOKEN": SECRET}
        )
        return len(answer.json())

    async def active_gates(self) -> list[str]:
        answer = await self.http.get(
            f"{self.gate.process.url}/internal/mlpgateway/gates", headers={"MLP-INTERNAL-TOKEN": SECRET}
        )
        return answer.json()["active"]

    async def until(self, outcome: str, seconds: float = 60.0) -> None:
        """Over HTTP and gRPC."""
        await eventually(self.over_http, until=lambda told: told == outcome, seconds=seconds)
        await eventually(self.over_grpc, until=lambda told: told == outcome, seconds=seconds)


@asynccontextmanager
async def caller_of(gate: Gate, key: str) -> AsyncGenerator[Caller]:
    options = (("grpc.enable_http_proxy", 0),)
    async with (
        httpx.AsyncClient(timeout=_SECONDS, headers={"MLP-API-KEY": key}, trust_env=False) as http,
        grpc.aio.insecure_channel(gate.grpc, options=options) as channel,
    ):
        yield Caller(gate, key, http, gate_pb2_grpc.GateStub(channel))
