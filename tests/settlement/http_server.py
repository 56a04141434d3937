"""A model's server that speaks only HTTP."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
from aiohttp import web

from mlplace_contracts.events import InstanceChanged, InstanceHttp, ModelHttp
from tests.settlement.case import Case, Values

Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]
MOST_OF_A_CALLER, MOST_OF_A_MODEL = 4 * 1024 * 1024, 16 * 1024 * 1024
"""Bytes of a message of a WebSocket."""
_HTTP = ModelHttp(port=80, page="/health", only=True)
_JSON = {"Content-Type": "application/json"}
_EVENTS = {"Content-Type": "text/event-stream"}
_ERROR = json.dumps({"code": "acme.broken", "message": "broken", "status": 400})


@asynccontextmanager
async def serving(
    case: Case, *answerings: Answering, billing: Values | None = None, publicity: Values | None = None
) -> AsyncGenerator[None]:
    """Opens the case, with an instance for each of `answerings`. Its calls wait until the gate has found one of them."""
    async with AsyncExitStack() as stack:
        ports = [await stack.enter_async_context(_listening(answering)) for answering in answerings]
        model = {"http": _HTTP, "reject_if_inactive": False, "hosting_type": "HOSTING_SERVER"}
        await case.open(model=model, billing=billing, publicity=publicity)
        told = [
            InstanceChanged(
                version=1, instance_id=case.model + 100 + number, model_id=case.model, account_id=case.owner,
                token_hash=f"none {number}", accepts_connections=True,
                http=InstanceHttp(host="127.0.0.1", port=port, trusted=True),
            )
            for number, port in enumerate(ports)
        ]  # fmt: skip
        await case.installation.publish(*told)
        yield
        gone = {"version": 2, "accepts_connections": False}
        await case.installation.publish(*(each.model_copy(update=gone) for each in told))


@asynccontextmanager
async def _listening(answering: Answering) -> AsyncGenerator[int]:
    """Yields the port of a server."""

    async def healthy(_request: web.Request) -> web.Response:
        return web.Response()

    app = web.Application()
    app.router.add_get("/health", healthy)
    app.router.add_route("*", "/{path:.*}", answering)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def answer(_request: web.Request) -> web.StreamResponse:
    return web.Response(text='"done"', headers=_JSON)


async def error(_request: web.Request) -> web.StreamResponse:
    return web.Response(text=_ERROR, status=400, headers=_JSON)


async def half_an_answer(_request: web.Request) -> web.StreamResponse:
    return web.Response(text='{"done":', headers=_JSON)


async def cut(request: web.Request) -> web.StreamResponse:
    """The connection ends before the body."""
    response = web.StreamResponse(headers={**_JSON, "Content-Length": "9"})
    await response.prepare(request)
    await response.write(b'"done"')
    assert request.transport is not None
    request.transport.close()
    return response


async def break_off(request: web.Request) -> web.StreamResponse:
    """The connection ends before any answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


def events(*texts: str, **headers: str) -> Answering:
    """Server-sent events, whole or not."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def answering(_request: web.Request) -> web.StreamResponse:
        return web.Response(text="".join(texts), headers={**_EVENTS, **named})

    return answering


def parts_then_nothing(asked: asyncio.Event, *texts: str, **headers: str) -> Answering:
    """Sends parts and then nothing; without parts not even its headers. Sets `asked` when it gets a request."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def answering(request: web.Request) -> web.StreamResponse:
        asked.set()
        response = web.StreamResponse(headers=named)
        if texts:
            await response.prepare(request)
        for text in texts:
            await response.write(text.encode())
        await asyncio.Event().wait()
        return response

    return answering


ERROR_EVENT = f"event: error\ndata: {_ERROR}\n\n"


async def talk(request: web.Request) -> web.StreamResponse:
    """A WebSocket that answers, says too much, closes or breaks off when it is told to."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        if message.data == "break off":
            assert request.transport is not None
            request.transport.abort()
        elif message.data == "answer":
            await socket.send_str("answer")
        elif message.data == "say too much":
            await socket.send_bytes(bytes(MOST_OF_A_MODEL + 1))
        elif message.type is aiohttp.WSMsgType.TEXT:
            await socket.close(code=1000)
    return socket
