"""The platform: it answers a stream with one part, anything else with nothing, and never ends an answer."""

import asyncio
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import unquote

import grpc.aio

from libs.sdk.tests.leaving.methods import UNANSWERED
from mlplace_gateproto import gate_pb2, gate_pb2_grpc

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_PART = gate_pb2.ClientResponseProto(
    partialPredict=gate_pb2.PartialPredictResponseProto(data=gate_pb2.PayloadProto(json="1"))
)


class Platform(gate_pb2_grpc.GateServicer):
    """`asked` and `left`: of each model, whether a caller has asked for it and whether that caller has left."""

    def __init__(self) -> None:
        self.url = self.address = ""
        self.asked: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.left: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    async def until_asked(self, name: str) -> None:
        await asyncio.wait_for(self.asked[name].wait(), 60)

    async def until_left(self, name: str) -> None:
        await asyncio.wait_for(self.left[name].wait(), 60)

    async def over_http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        name = unquote(path.split("/")[-2])
        if path.endswith("v2-stream") and not name.endswith(UNANSWERED):
            writer.write(_HEAD + b"9\r\ndata: 1\n\n\r\n")
        self.asked[name].set()
        with suppress(ConnectionError):
            while await reader.read(65536):
                pass  # the body
        self.left[name].set()
        writer.close()

    async def process(self, request, context) -> gate_pb2.ClientResponseProto:
        await self._serve(request.model)
        return _PART

    # gRPC takes coroutines that write their answers, too.
    async def processResponseStream(self, request, context):  # type: ignore[override]  # noqa: N802  the name of the RPC
        await self._serve(request.model, context)

    async def processStream(self, request_iterator, context):  # type: ignore[override]  # noqa: N802  the name of the RPC
        first = await anext(aiter(request_iterator))
        await self._serve(first.model, context)

    async def _serve(self, name: str, stream: "grpc.aio.ServicerContext | None" = None) -> None:
        """Never returns. A caller may leave as soon as it has its part, which is before the write of it has ended."""
        self.asked[name].set()
        try:
            if stream is not None and not name.endswith(UNANSWERED):
                await stream.write(_PART)
            await asyncio.Event().wait()
        finally:
            self.left[name].set()


@asynccontextmanager
async def running(kind: type[Platform] = Platform, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Platform]:
    """`tls`: HTTP is HTTPS."""
    platform = kind()
    http, rpc = await asyncio.start_server(platform.over_http, "127.0.0.1", 0, ssl=tls), grpc.aio.server()
    gate_pb2_grpc.add_GateServicer_to_server(platform, rpc)
    platform.address = f"127.0.0.1:{rpc.add_insecure_port('127.0.0.1:0')}"
    platform.url = f"{'https' if tls else 'http'}://127.0.0.1:{http.sockets[0].getsockname()[1]}"
    await rpc.start()
    yield platform
    http.close()
    await rpc.stop(0)
