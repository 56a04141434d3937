"""A real HTTP server behind a model of the gateway's world, and a real server in front of the gateway."""

import asyncio
import gzip
from collections.abc import AsyncGenerator, Callable, Mapping
from types import SimpleNamespace

import aiohttp
import pytest
from aiohttp import web
from multidict import CIMultiDict

from mlplace_contracts.events import InstanceChanged, InstanceHttp, ModelHttp
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.waiting import eventually

HTTP = ModelHttp(port=80, page="/health", only=True)
ACME, MODEL = 1000000001, 500


class Instance:
    """A plain HTTP server. `seen` are the received requests without health checks.

    With `begins` it announces a longer answer than it sends, and closes the connection. With `says` it answers calls
    of the predict family with these bytes of that media type, and `status`; of several types: one header for each. With
    `hangs` it never ends such an answer: it sends the bytes of `says` if there are any, and waits. With `unframed` only the end
    of the connection ends such an answer.
    """

    def __init__(self) -> None:
        self.status = 200
        self.port = 0
        self.seen: list[tuple[str, str, Mapping[str, str], bytes]] = []
        self.headers: dict[str, str] = {}
        self.begins: bytes | None = None
        self.says: tuple[str | tuple[str, ...], bytes] | None = None
        self.hangs = self.compresses = self.unframed = False
        self.bodies = 0
        self.asked = self.written = 0
        self.holding = self.most_held = 0
        self.cancelled = asyncio.Event()
        self.closed: list[int | None] = []
        self.go_on, self.ending = asyncio.Event(), asyncio.Event()
        app = web.Application(client_max_size=2**30)
        app.router.add_get("/health", self.health)
        app.router.add_post("/predict", self.predict)
        app.router.add_post("/predict-with-config", self.predict)
        app.router.add_post("/ext", self.predict)
        app.router.add_post("/events", self.events)
        app.router.add_post("/count", self.count)
        app.router.add_get("/held", self.held)
        app.router.add_get("/large", self.large)
        app.router.add_get("/moved", self.moved)
        app.router.add_get("/failing", self.failing)
        app.router.add_get("/talk", self.talk)
        app.router.add_get("/deaf", self.deaf)
        app.router.add_get("/refusing", self.refusing)
        app.router.add_get("/endless", self.endless)
        app.router.add_route("*", "/{path:.*}", self.echo)
        self.runner = web.AppRunner(app, handler_cancellation=True, auto_decompress=False, shutdown_timeout=0)

    async def start(self) -> None:
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self.runner.addresses[0][1]

    async def held(self, _request: web.Request) -> web.Response:
        self.holding += 1
        self.most_held = max(self.most_held, self.holding)
        await self.go_on.wait()
        self.go_on.clear()
        self.holding -= 1
        return web.Response()

    async def health(self, _request: web.Request) -> web.Response:
        self.asked += 1
        return web.Response(status=self.status)

    async def _note(self, request: web.Request) -> bytes:
        body = await request.read()
        self.seen.append((request.method, request.raw_path, request.headers, body))
        return body

    async def _hang(self, request: web.Request) -> web.StreamResponse:
        kind = {"Content-Type": str(self.says[0])} if self.says else {}
        response = web.StreamResponse(headers={**kind, **self.headers})
        try:
            if self.says is not None:
                await response.prepare(request)
                await response.write(self.says[1])
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return response

    async def echo(self, request: web.Request) -> web.StreamResponse:
        body = await self._note(request)
        if self.hangs:
            return await self._hang(request)
        if self.begins is not None:
            return await self._break_off(request, self.begins)
        return web.Response(status=self.status, body=body or b"nothing", headers=self.headers)

    async def _break_off(self, request: web.Request, begun: bytes) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": str(len(begun) + 1), **self.headers})
        await response.prepare(request)
        await response.write(begun)
        assert request.transport is not None
        request.transport.close()
        return response

    def _unframed(self, request: web.Request, kind: str | tuple[str, ...], said: bytes) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + said)
        request.transport.close()
        return web.Response()

    async def predict(self, request: web.Request) -> web.StreamResponse:
        body = await self._note(request)
        if self.hangs:
            return await self._hang(request)
        if self.begins is not None:
            return await self._break_off(request, self.begins)
        if self.says is not None and self.unframed:
            return self._unframed(request, *self.says)
        if self.says is not None:
            kind, said = self.says
            types = [("Content-Type", one) for one in ((kind,) if isinstance(kind, str) else kind)]
            if self.compresses and request.headers.getall("Accept-Encoding", ["gzip"]) != ["identity"]:
                types, said = [*types, ("Content-Encoding", "gzip")], gzip.compress(said)
            return web.Response(status=self.status, body=said, headers=CIMultiDict([*types, *self.headers.items()]))
        if self.status != 200:
            return web.json_response(
                {"code": "my.code", "message": "no", "args": {"a": "b"}}, status=self.status, headers=self.headers
            )
        return web.Response(body=b'{"got":' + body + b"}", content_type="application/json", headers=self.headers)

    async def events(self, request: web.Request) -> web.StreamResponse:
        await self._note(request)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for number in range(3):
            await response.write(f'data: {{"n":{number}}}\n\n'.encode())
            await self.go_on.wait()
            self.go_on.clear()
        await response.write(b"data: [DONE]\n\n")
        return response

    async def count(self, request: web.Request) -> web.Response:
        self.bodies = 0
        async for piece in request.content.iter_any():
            self.bodies += len(piece)
        return web.Response(text=str(self.bodies))

    async def large(self, request: web.Request) -> web.StreamResponse:
        size = int(request.query["size"])
        response = web.StreamResponse(headers={"Content-Length": str(size)} if "length" in request.query else {})
        await response.prepare(request)
        for _ in range(size // 65536):
            await response.write(b"x" * 65536)
            self.written += 65536
        return response

    async def endless(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"begun")
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return response

    async def moved(self, request: web.Request) -> web.Response:
        await self._note(request)
        return web.Response(status=302, headers={"Location": "http://127.0.0.1:1/inside"})

    async def talk(self, request: web.Request) -> web.StreamResponse:
        """Echoes messages, or ends the conversation in a way that the message asks for."""
        await self._note(request)
        socket = web.WebSocketResponse(protocols=("second", "third"))
        socket.headers.update(self.headers)
        await socket.prepare(request)
        async for message in socket:
            match message.data:
                case "close":
                    await socket.close(code=4001, message=b"enough")
                case "vanish":
                    assert request.transport is not None
                    request.transport.abort()
                case str() as text if text.startswith("raw "):
                    _, frame, times = text.split()
                    assert request.transport is not None
                    request.transport.write(bytes.fromhex(frame) * int(times))
                case str() as text if text.startswith("large "):
                    await socket.send_bytes(bytes(int(text.removeprefix("large "))))
                case str() as text:
                    await socket.send_str(text)
                case data:
                    await socket.send_bytes(data)
        self.closed.append(socket.close_code)
        return socket

    async def deaf(self, request: web.Request) -> web.StreamResponse:
        """Opens a WebSocket, and reads nothing of it."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        assert request.transport is not None
        request.transport.pause_reading()
        await self.ending.wait()  # a paused connection does not notice that its peer has gone
        request.transport.abort()
        return socket

    async def refusing(self, request: web.Request) -> web.StreamResponse:
        """Refuses a WebSocket with the text of `says`. With `hangs` the text has no end."""
        assert self.says is not None
        kind, text = self.says
        headers = {"Content-Type": str(kind), "Retry-After": "7", **self.headers}
        response = web.StreamResponse(status=429, headers=headers)
        await response.prepare(request)
        try:
            await response.write(text)
            if self.hangs:
                await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return response

    async def failing(self, request: web.Request) -> web.Response:
        await self._note(request)
        return web.Response(status=500, text="broken")


@pytest.fixture
async def instance() -> AsyncGenerator[Instance]:
    made = Instance()
    await made.start()
    yield made
    made.ending.set()
    await made.runner.cleanup()


def told_of(instance_id: int, port: int, *, version: int = 1, trusted: bool = True, host: str = "127.0.0.1", **about):
    return InstanceChanged(
        version=version, instance_id=instance_id, model_id=MODEL, account_id=ACME, token_hash=f"h{instance_id}",
        accepts_connections=about.get("accepts", True), http=InstanceHttp(host=host, port=port, trusted=trusted),
        purpose=about.get("purpose", "serve"),
    )  # fmt: skip


async def until(probe: Callable[[], bool]) -> None:
    async def look() -> bool:
        return probe()

    await eventually(look)


async def reached(world, model_id: int = MODEL, number: int = 1) -> None:
    """Waits until the gate finds this many healthy instances."""
    links = world.components.http_instances
    await until(lambda: len(links.of_model(model_id)) == number)


@pytest.fixture
async def hosted(open_world, kit, instance: Instance):
    """A world whose model speaks only HTTP, with one healthy instance."""
    async with open_world(instance_networks="127.0.0.0/8") as world:
        world.know(kit.model_changed(http=HTTP), told_of(7, instance.port))
        world.components.http_instances.open("127.0.0.1:1")
        await reached(world)
        yield world
        await world.components.http_instances.close()


@pytest.fixture
async def over_wire(hosted):
    """The gateway behind a real server. Returns the address of the model's HTTP interface, and a client."""
    listener = listen("127.0.0.1", 0)
    server = HttpServer(hosted.app, listener)
    await server.start()
    port = listener.getsockname()[1]
    async with aiohttp.ClientSession() as client:
        base = f"http://127.0.0.1:{port}/api/mlpgateway/account/acme/model/ner/http"
        yield SimpleNamespace(client=client, base=base, world=hosted, port=port, server=server)
    await server.stop()


@pytest.fixture
def tools():
    """Provides the helpers of this file: tests cannot import conftest."""
    return SimpleNamespace(told_of=told_of, reached=reached, HTTP=HTTP, until=until, Instance=Instance)
