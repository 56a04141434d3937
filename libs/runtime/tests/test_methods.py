"""Tests HEAD, `Allow` and handshakes of WebSockets where there are none, with the server that every process has."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

import httpx
import pytest
from fastapi import APIRouter, Depends, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Runtime
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.methods import HeadAsGet
from mlplace_runtime.web.policy import Public, SignedIn
from mlplace_runtime.web.request_context import RequestContext
from mlplace_testing.identities import Identities
from mlplace_testing.raw_sockets import serving

PUBLIC = [Depends(Public())]


class Things:
    """The routes under test. `methods` are those that endpoints saw; `ended`: an endless answer was ended."""

    def __init__(self) -> None:
        self.methods: list[str] = []
        self.ended = asyncio.Event()
        self.router = router = APIRouter()

        @router.get("/thing", dependencies=PUBLIC)
        async def read(request: Request) -> dict[str, str]:
            self.methods.append(request.method)
            return {"name": "a thing"}

        @router.put("/thing", dependencies=PUBLIC)
        async def write() -> None: ...

        @router.delete("/{name}", dependencies=PUBLIC)
        async def remove(name: str) -> None: ...

        @router.get("/endless", dependencies=PUBLIC)
        async def endless() -> Response:
            return StreamingResponse(self._parts(), media_type="text/event-stream")

        @router.get("/mine", dependencies=[Depends(SignedIn())])
        async def mine() -> None: ...

        @router.api_route("/own", methods=["HEAD"], dependencies=PUBLIC)
        async def own_head(request: Request) -> Response:
            self.methods.append(request.method)
            return Response(headers={"X-Size": "7"})

        @router.post("/written", dependencies=PUBLIC)
        async def written(request: Request) -> None:
            self.methods.append(request.method)

    async def _parts(self) -> AsyncIterator[str]:
        try:
            while True:
                yield "data: 1\n\n"
                await asyncio.sleep(0)
        finally:
            self.ended.set()


@pytest.fixture
def things() -> Things:
    return Things()


@pytest.fixture
async def client(things: Things, identities: Identities, clock: ManualClock) -> AsyncGenerator[httpx.AsyncClient]:
    app = create_app(name="test", title="Test", version="1", routers=[things.router])
    database = Database("postgresql+asyncpg://nobody@/nothing?host=/nowhere", application_name="test")
    attach(app, Runtime("test", database, identities.authenticator, identities, clock, dict))
    async with (
        serving(RequestContext(app, service="test", max_body_bytes=1000)) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as opened,
    ):
        yield opened


class TestHead:
    async def test_it_has_the_head_of_get_and_no_body(self, client: httpx.AsyncClient, things: Things) -> None:
        whole, head = await client.get("/thing"), await client.head("/thing")
        assert (head.status_code, head.content) == (200, b"")
        varying = ("date", "z-requestid")
        left = [{k: v for k, v in answer.headers.items() if k not in varying} for answer in (whole, head)]
        assert left[0] == left[1]
        assert head.headers["content-length"] == str(len(whole.content))
        assert things.methods == ["GET", "GET"]

    async def test_connection_goes_on(self, client: httpx.AsyncClient) -> None:
        for _ in range(3):
            assert (await client.head("/thing")).status_code == 200
            assert (await client.get("/thing")).json() == {"name": "a thing"}

    async def test_a_stream_ends_with_its_head(self, client: httpx.AsyncClient, things: Things) -> None:
        head = await client.head("/endless")
        assert (head.status_code, head.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        async with asyncio.timeout(60):
            await things.ended.wait()
        assert (await client.get("/thing")).status_code == 200

    async def test_nothing_reads_the_request_any_more_when_a_stream_hears_of_its_end(self) -> None:
        reading: list[bool] = []

        async def app(_scope: Scope, receive: Receive, send: Send) -> None:
            await receive()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            assert (await receive())["type"] == "http.disconnect"
            reading.append(False)

        async def receive() -> Message:
            if not reading:
                reading.append(True)
                return {"type": "http.request"}
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                reading.append(False)
            raise AssertionError

        async def send(_message: Message) -> None: ...

        await HeadAsGet(app, routes=())({"type": "http", "method": "HEAD"}, receive, send)
        assert reading == [True, False, False]

    async def test_it_is_refused_as_get_is(self, client: httpx.AsyncClient) -> None:
        refused = await client.head("/mine")
        assert (refused.status_code, refused.headers["www-authenticate"], refused.content) == (401, "Bearer", b"")
        assert (await client.head("/nothing/here")).status_code == 404

    async def test_a_route_of_its_own_comes_first(self, client: httpx.AsyncClient, things: Things) -> None:
        assert (await client.head("/own")).headers["x-size"] == "7"
        assert things.methods == ["HEAD"]

    async def test_it_runs_nothing_but_get(self, client: httpx.AsyncClient, things: Things) -> None:
        refused = await client.head("/written")
        assert (refused.status_code, refused.headers["allow"]) == (405, "DELETE, POST")
        assert things.methods == []

    async def test_files_have_it(self, client: httpx.AsyncClient) -> None:
        page = (await client.get("/api/test/docs")).text
        file = page.split('src="', 1)[1].split('"', 1)[0]
        assert (await client.head(file)).headers["content-length"] == str(len((await client.get(file)).content))


class TestAllow:
    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("POST", "/thing", "DELETE, GET, HEAD, PUT"),
            ("OPTIONS", "/thing", "DELETE, GET, HEAD, PUT"),
            ("TRACE", "/written", "DELETE, POST"),
            ("GET", "/else", "DELETE"),
            ("POST", "/own", "DELETE, HEAD"),
            ("POST", "/api/test/docs", "GET, HEAD"),
            ("POST", "/api/test/docs-assets/x.js", "GET, HEAD"),
        ],
    )
    async def test_every_405_names_the_methods_of_its_address(
        self, client: httpx.AsyncClient, method: str, path: str, allowed: str
    ) -> None:
        refused = await client.request(method, path)
        assert (refused.status_code, refused.json()["code"]) == (405, "mlp.core.method_not_allowed")
        assert refused.headers["allow"] == allowed


class TestUnknownSockets:
    @pytest.mark.parametrize("path", ["/nothing/here", "/thing", "/api/test/docs-assets", "/api/test/docs-assets/x.js"])
    async def test_handshake_is_refused_as_a_request_is(self, client: httpx.AsyncClient, path: str) -> None:
        handshake = {
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        }  # fmt: skip
        refused = await client.get(path, headers=handshake)
        assert (refused.status_code, refused.json()["code"]) == (404, "mlp.core.route_not_found")
        assert refused.headers["z-requestid"] == refused.json()["requestId"]
