"""A model that answers each request with its data after a random time, over HTTP and at a gate.

`python -m benchmarks.subjects.slow_model HTTP_PORT GATE_PORT LEAST_MS MOST_MS`, with its token in MLP_SERVICE_TOKEN.
Every answer is written when it is due, so answers arrive one by one. 0 0 answers at once, as a model in a closed loop.
"""

import asyncio
import os
import random
import sys
from typing import cast

import httptools
import uvloop

from benchmarks.subjects.gate_wire import GateWire, connected
from mlplace_gateproto import gate_pb2 as pb


class Times:
    """Times from `least` to `most` seconds. Seeded: each run draws the same ones."""

    def __init__(self, least: float, most: float) -> None:
        self._least = least
        self._most = most
        self._random = random.Random(50)  # noqa: S311  spreads answers, keeps no secret

    def next(self) -> float:
        return self._random.uniform(self._least, self._most)


class AtGate:
    def __init__(self, times: Times) -> None:
        self._times = times
        self._loop = asyncio.get_running_loop()

    def hear(self, wire: GateWire, message: pb.GateToServiceProto) -> None:
        if message.WhichOneof("body") != "predict":
            return
        answer = pb.ServiceToGateProto(
            requestId=message.requestId, predict=pb.PredictResponseProto(data=message.predict.data)
        )
        if seconds := self._times.next():
            self._loop.call_later(seconds, wire.say, answer)
        else:
            wire.say(answer)


class OverHttp(asyncio.Protocol):
    """One connection. Its caller sends the next request after the answer."""

    def __init__(self, times: Times) -> None:
        self._times = times
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        self._body = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_begin(self) -> None:
        self._body = b""

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        if seconds := self._times.next():
            self._loop.call_later(seconds, self._answer, self._body)
        else:
            self._answer(self._body)

    def _answer(self, body: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
        self._transport.write(head + body)


async def main(http_port: int, gate_port: int, times: Times, token: str) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: OverHttp(times), "127.0.0.1", http_port, backlog=1024)
    async with server:
        wire = await connected(gate_port, token, AtGate(times).hear)
        await wire.gone


if __name__ == "__main__":
    http, gate, least, most = map(int, sys.argv[1:5])
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(http, gate, Times(least / 1000, most / 1000), os.environ["MLP_SERVICE_TOKEN"]))
