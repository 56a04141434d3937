"""An open stream or WebSocket ends when its key is deleted over the API, through the events of the real services.

What the services keep of a key would last a day here, far longer than a test waits.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import aiohttp
import grpc
import pytest
from aiohttp import web

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import gate_pb2_grpc
from mlplace_runtime.auth import sources
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.waiting import DEADLINE, eventually
from tests.security.platform import Platform
from tests.security.tenants import Recipe, Tenant
from tests.security.test_gate_access import token_of

UNAUTHORIZED: Final = "mlp.gate.unauthorized"
POLICY_VIOLATION: Final = 1008


@pytest.fixture(scope="module")
async def tenant(recipe: Recipe) -> Tenant:
    return await recipe.tenant("kord")


@dataclass(frozen=True)
class Caller:
    """A caller with a key of its own. `delete_key` deletes it as the owner, over the API."""

    headers: dict[str, str]
    edge: str
    delete_key: Callable[[], Awaitable[None]]


@pytest.fixture
async def edge(platform: Platform) -> AsyncGenerator[str]:
    """The address of the whole platform, behind a real server."""
    listener = listen("127.0.0.1", 0)
    server = HttpServer(platform.edge, listener)
    await server.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    await server.stop()


@pytest.fixture
async def caller(
    platform: Platform, recipe: Recipe, tenant: Tenant, edge: str, monkeypatch: pytest.MonkeyPatch
) -> Caller:
    monkeypatch.setattr(sources, "_TTL", timedelta(days=1))
    number, headers = await recipe.key(tenant)

    async def delete() -> None:
        async with platform.client(tenant.owner.headers) as client:
            path = f"/api/mlpcore/account/{tenant.account_id}/token/{number}"
            (await client.delete(path)).raise_for_status()

    return Caller(headers, f"{edge}/api/mlpgateway/account/{tenant.name}/model", delete)


@asynccontextmanager
async def streaming(platform: Platform, tenant: Tenant) -> AsyncGenerator[None]:
    """An instance of the tenant's first model whose answers have a first part and no end."""
    async with grpc.aio.insecure_channel(platform.gate_address) as channel:
        stream = gate_pb2_grpc.GateStub(channel).processAsync()  # type: ignore[call-arg]  # messages are written
        start = pb.StartServingProto(connectionToken=tenant.connection_token)
        await stream.write(pb.ServiceToGateProto(startServing=start))
        assert await stream.read() is not grpc.aio.EOF

        async def answer() -> None:
            while isinstance(message := await stream.read(), pb.GateToServiceProto):
                if message.HasField("predict"):
                    part = pb.PartialPredictResponseProto(data=pb.PayloadProto(json="1"), finish=False)
                    await stream.write(pb.ServiceToGateProto(requestId=message.requestId, partialPredict=part))
                elif message.HasField("heartBeat"):
                    await stream.write(pb.ServiceToGateProto(heartBeat=message.heartBeat))

        answering = asyncio.create_task(answer())
        try:
            yield
        finally:
            answering.cancel()
            stream.cancel()


async def _talk(request: web.Request) -> web.StreamResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        await socket.send_str(message.data)
    return socket


async def _healthy(_request: web.Request) -> web.Response:
    return web.Response()


@asynccontextmanager
async def talking(platform: Platform, tenant: Tenant) -> AsyncGenerator[None]:
    """An instance of the tenant's second model that speaks HTTP, connected by its owner over the API."""
    app = web.Application()
    app.router.add_get("/talk", _talk)
    app.router.add_get("/", _healthy)
    runner = web.AppRunner(app, shutdown_timeout=0)
    async with AsyncExitStack() as stack:
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        client = await stack.enter_async_context(platform.client(tenant.owner.headers))
        model = f"/api/mlpcore/account/{tenant.account_id}/model/{tenant.second_model_id}"
        settings = {"isHttpEnabled": True, "httpPort": port, "mainPageEndpoint": "/", "httpInterfaceOnly": True}
        (await client.post(f"{model}/http", json=settings)).raise_for_status()
        where = {"httpHost": "127.0.0.1", "httpPort": port}
        (await client.post(f"{model}/external", params=where)).raise_for_status()
        yield


class TestDeletedKey:
    async def test_stream_ends_with_the_refusal(self, platform: Platform, tenant: Tenant, caller: Caller) -> None:
        address = f"{caller.edge}/{tenant.model_name}/predict-with-config-v2-stream"

        async def begun() -> aiohttp.ClientResponse:
            return await client.post(address, json={"data": "1"}, headers=caller.headers)

        async with (
            streaming(platform, tenant),
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(DEADLINE)) as client,
            await eventually(begun, until=lambda answer: answer.ok) as answer,
        ):
            first = await answer.content.readline()
            await caller.delete_key()
            lines = [line async for line in answer.content]
        assert first.strip()
        assert json.loads(lines[-1])["code"] == UNAUTHORIZED

    async def test_stream_over_grpc_ends_with_the_refusal(
        self, platform: Platform, tenant: Tenant, caller: Caller, stub: "gate_pb2_grpc.GateAsyncStub"
    ) -> None:
        asked = pb.ClientRequestProto(
            account=tenant.name,
            model=tenant.model_name,
            authToken=token_of(caller.headers),
            predict=pb.PredictRequestProto(data=pb.PayloadProto(json='"x"')),
        )

        async def begun() -> AsyncIterator[pb.ClientResponseProto] | None:
            answers = aiter(stub.processResponseStream(asked, timeout=DEADLINE))
            return None if (await anext(answers)).HasField("error") else answers

        async with streaming(platform, tenant):
            answers = await eventually(begun, until=lambda answers: answers is not None)
            assert answers is not None
            await caller.delete_key()
            last = [answer async for answer in answers][-1]
        assert last.error.code == UNAUTHORIZED

    async def test_websocket_is_closed(self, platform: Platform, tenant: Tenant, caller: Caller) -> None:
        address = f"{caller.edge}/{tenant.name}-2/http"

        async def is_reached() -> bool:
            async with client.get(address, headers=caller.headers) as answer:
                return answer.ok

        async with talking(platform, tenant), aiohttp.ClientSession() as client:
            await eventually(is_reached)
            socket = await client.ws_connect(f"{address}/talk", headers=caller.headers)
            await socket.send_str("one")
            assert await socket.receive_str() == "one"
            await caller.delete_key()
            message = await asyncio.wait_for(socket.receive(), DEADLINE)
        assert (message.type, message.data, message.extra) == (aiohttp.WSMsgType.CLOSE, POLICY_VIOLATION, UNAUTHORIZED)
