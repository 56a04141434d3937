"""Fake services behind the edge that record the requests that reach them."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, cast

import grpc
import grpc.aio
import uvicorn
from starlette.types import Message, Receive, Scope, Send

from mlplace_gateproto import gate_pb2, gate_pb2_grpc

STREAM_PARTS: Final = 5


@dataclass(frozen=True, slots=True)
class Seen:
    """`path` is decoded, `raw_path` is not; `headers` are in lower case and in order; `peer` is the port of the connection."""

    service: str
    method: str
    path: str
    raw_path: str
    query: str
    headers: list[tuple[str, str]]
    peer: int

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Service:
    """Echoes requests. The query can choose another behaviour: `twin=stream`, `twin=count`, `twin=refuse`."""

    def __init__(self, name: str, host: str = "127.0.0.1", port: int = 0) -> None:
        self.name = name
        self.seen: list[Seen] = []
        self.next_part = asyncio.Semaphore(0)
        self.body_began = asyncio.Event()
        self.received = 0
        self._listener = socket.create_server((host, port))
        self.port: int = self._listener.getsockname()[1]
        config = uvicorn.Config(
            self._app,
            interface="asgi3",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=65,
            timeout_graceful_shutdown=1,
            ws="websockets-sansio",
        )
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None

    @property
    def last(self) -> Seen:
        return self.seen[-1]

    async def start(self) -> None:
        self._task = asyncio.create_task(self._server.serve([self._listener]))
        while not self._server.started:  # noqa: ASYNC110 - uvicorn has a flag but no event
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        self._server.should_exit = True
        if self._task:
            await self._task
        self._listener.close()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(key.decode("latin-1"), value.decode("latin-1")) for key, value in scope["headers"]]
        query = scope["query_string"].decode("latin-1")
        method = scope.get("method", "WEBSOCKET")
        raw_path = scope["raw_path"].decode("latin-1")
        self.seen.append(Seen(self.name, method, scope["path"], raw_path, query, headers, scope["client"][1]))
        if scope["type"] == "websocket":
            await _echo_messages(receive, send)
            return
        match query:
            case "twin=stream":
                await self._stream(send)
            case "twin=count":
                await self._count(receive, send)
            case "twin=refuse":
                await _answer(send, {"code": "of.the.service"}, status=503)
            case _:
                await self._echo(receive, send)

    async def _echo(self, receive: Receive, send: Send) -> None:
        seen = self.last
        body = b"".join([part async for part in _body(receive)])
        told = {"service": seen.service, "method": seen.method, "path": seen.path, "query": seen.query}
        await _answer(send, {**told, "headers": dict(seen.headers), "body": body.decode("latin-1")})

    async def _stream(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(STREAM_PARTS):
            await self.next_part.acquire()
            await send({"type": "http.response.body", "body": b"part %d\n" % number, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _count(self, receive: Receive, send: Send) -> None:
        self.received = 0
        async for part in _body(receive):
            self.received += len(part)
            self.body_began.set()
        await _answer(send, {"received": self.received})


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message: Message = await receive()
        if message["type"] != "http.request":
            return
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body"):
            return


async def _answer(send: Send, value: object, status: int = 200) -> None:
    headers = [(b"content-type", b"application/json"), (b"x-content-type-options", b"nosniff")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(value).encode()})


async def _echo_messages(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


class _Noted(grpc.GenericRpcHandler):
    def __init__(self, called: list[str]) -> None:
        self._called = called

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> None:
        self._called.append(str(handler_call_details.method))


class Gate(gate_pb2_grpc.GateServicer):
    """Echoes calls of models, and the ids of an instance's messages. Records the names of all requested methods."""

    def __init__(self) -> None:
        self.metadata: list[tuple[str, str]] = []
        self.called: list[str] = []
        size = 101 * 1024 * 1024
        self._server = grpc.aio.server(
            options=[("grpc.max_receive_message_length", size), ("grpc.max_send_message_length", size)]
        )
        self._server.add_generic_rpc_handlers([_Noted(self.called)])
        gate_pb2_grpc.add_GateServicer_to_server(self, self._server)
        self.port = self._server.add_insecure_port("127.0.0.1:0")

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        await self._server.stop(grace=None)

    async def process(self, request, context):
        self.metadata = [(key, str(value)) for key, value in context.invocation_metadata()]
        return gate_pb2.ClientResponseProto(predict=gate_pb2.PredictResponseProto(data=request.predict.data))

    async def processAsync(self, request_iterator, context):  # noqa: N802 - the protocol's name
        self.metadata = [(key, str(value)) for key, value in context.invocation_metadata()]
        async for message in request_iterator:
            yield gate_pb2.GateToServiceProto(requestId=message.requestId)


class NameServer(asyncio.DatagramProtocol):
    """Answers with A records from a dictionary that tests change (RFC 1035: header, question, answer)."""

    def __init__(self) -> None:
        self.addresses: dict[str, list[str]] = {}
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        question_end = data.index(b"\0", 12) + 5
        question = data[12:question_end]
        addresses = self.addresses.get(_name(question), [])
        answers = [b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + socket.inet_aton(address) for address in addresses]
        flags = b"\x81\x80" if answers else b"\x81\x83"
        counts = b"\0\1\0" + bytes([len(answers)]) + b"\0\0\0\0"
        if self._transport:
            self._transport.sendto(data[:2] + flags + counts + question + b"".join(answers), addr)

    @property
    def port(self) -> int:
        return self._transport.get_extra_info("sockname")[1] if self._transport else 0

    def close(self) -> None:
        if self._transport:
            self._transport.close()


def _name(question: bytes) -> str:
    labels, at = [], 0
    while length := question[at]:
        labels.append(question[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels)
