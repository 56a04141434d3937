"""Callers through the edge, each making one call after the other without retries."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Self

import grpc
import httpx

from mlplace_gateproto import gate_pb2
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_testing.servers.nginx import Nginx
from mlplace_testing.waiting import eventually

_SECONDS = 60.0
_PATH = "/api/mlpgateway/account/owner/model/answer"
_STREAM_PARTS, _PART_MS = 15, 100
_OPTIONS = (("grpc.enable_http_proxy", 0),)
_numbers = count(1)


@dataclass(slots=True)
class Outcomes:
    answered: list[int] = field(default_factory=list[int])
    failed: list[str] = field(default_factory=list[str])


class Load:
    """Runs during the block. `pause` is the pause of each caller between two calls."""

    def __init__(self, edge: Nginx, key: str, *, callers: int = 3, streams: int = 2, pause: float = 0.02) -> None:
        self._key = key
        self._http_address = f"http://127.0.0.1:{edge.http_port}"
        self._grpc_address = f"127.0.0.1:{edge.grpc_port}"
        self._callers = callers
        self._streams = streams
        self._pause = pause
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.unary: dict[str, Outcomes] = {"http": Outcomes(), "grpc": Outcomes()}
        self.streamed: dict[str, Outcomes] = {"http": Outcomes(), "sse": Outcomes(), "grpc": Outcomes()}

    async def __aenter__(self) -> Self:
        headers = {"MLP-API-KEY": self._key}
        self._http = httpx.AsyncClient(base_url=self._http_address, headers=headers, timeout=_SECONDS, trust_env=False)
        self._channel = grpc.aio.insecure_channel(self._grpc_address, options=_OPTIONS)
        self._stub = GateStub(self._channel)
        calls: list[tuple[Outcomes, Callable[[int], Awaitable[None]], int]] = [
            (self.unary["http"], self._over_http, self._callers),
            (self.unary["grpc"], self._over_grpc, self._callers),
            (self.streamed["http"], self._stream_over_http, self._streams),
            (self.streamed["sse"], self._events_over_http, self._streams),
            (self.streamed["grpc"], self._stream_over_grpc, self._streams),
        ]
        for outcomes, call, callers in calls:
            self._tasks += [asyncio.create_task(self._go_on(outcomes, call)) for _ in range(callers)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop.set()
        await asyncio.gather(*self._tasks)
        await self._http.aclose()
        await self._channel.close()

    @property
    def numbers(self) -> list[int]:
        """Numbers of all answered calls."""
        return [number for kind in (self.unary, self.streamed) for told in kind.values() for number in told.answered]

    async def wait_for_answers(self, more: int) -> None:
        """Wait for further answers to each kind of unary caller."""
        wanted = {name: len(told.answered) + more for name, told in self.unary.items()}

        async def enough() -> bool:
            return all(len(self.unary[name].answered) >= least for name, least in wanted.items())

        await eventually(enough, seconds=_SECONDS)

    async def _go_on(self, outcomes: Outcomes, call: Callable[[int], Awaitable[None]]) -> None:
        while not self._stop.is_set():
            number = next(_numbers)
            try:
                await call(number)
            except (grpc.aio.AioRpcError, httpx.TransportError, AssertionError, ValueError) as error:
                outcomes.failed.append(f"{number}: {error!r}")
            else:
                outcomes.answered.append(number)
            await asyncio.sleep(self._pause)

    async def _over_http(self, number: int) -> None:
        answer = await self._http.post(f"{_PATH}/predict", json={"number": number, "milliseconds": 5})
        assert answer.status_code == httpx.codes.OK, answer.text
        assert answer.json()["number"] == number

    async def _over_grpc(self, number: int) -> None:
        answer = await self._stub.process(self._request(number, 1), timeout=_SECONDS)
        assert answer.WhichOneof("body") in {"predict", "partialPredict"}, answer.error
        kind = answer.predict if answer.HasField("predict") else answer.partialPredict
        assert json.loads(kind.data.json)["number"] == number

    async def _stream_over_http(self, number: int) -> None:
        question = json.dumps({"number": number, "milliseconds": _PART_MS, "parts": _STREAM_PARTS})
        path = f"{_PATH}/predict-with-config-v2-stream"
        async with self._http.stream("POST", path, json={"data": question}) as answer:
            lines: list[dict[str, object]] = [json.loads(line) async for line in answer.aiter_lines()]
        _check([line.get("part", line) for line in lines])

    async def _events_over_http(self, number: int) -> None:
        question = json.dumps({"number": number, "milliseconds": _PART_MS, "parts": _STREAM_PARTS})
        path, wanted = f"{_PATH}/predict-with-config-v2-stream", {"Accept": "text/event-stream"}
        async with self._http.stream("POST", path, json={"data": question}, headers=wanted) as answer:
            text = "".join([part async for part in answer.aiter_text()])
        *events, end = text.removesuffix("\n\n").split("\n\n")
        assert end == "event: end\ndata: {}", text
        _check([json.loads(event.removeprefix("data: "))["part"] for event in events])

    async def _stream_over_grpc(self, number: int) -> None:
        call = self._stub.processResponseStream(self._request(number, _STREAM_PARTS), timeout=_SECONDS)
        parts: list[object] = []
        async for message in call:
            assert message.HasField("partialPredict"), message.error
            if message.partialPredict.data.json:
                parts.append(json.loads(message.partialPredict.data.json)["part"])
        _check(parts)

    def _request(self, number: int, parts: int) -> gate_pb2.ClientRequestProto:
        question = json.dumps({"number": number, "milliseconds": 5 if parts == 1 else _PART_MS, "parts": parts})
        predict = gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json=question))
        return gate_pb2.ClientRequestProto(account="owner", model="answer", authToken=self._key, predict=predict)


def _check(parts: list[object]) -> None:
    assert parts == list(range(_STREAM_PARTS)), parts
