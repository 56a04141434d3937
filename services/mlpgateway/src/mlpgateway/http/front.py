"""Calls of models over HTTP, dispatched before the web framework."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from mlpgateway.gate.admission import Admission
from mlpgateway.gate.origins import Origins
from mlpgateway.http.answers import LineStream, send_answer
from mlpgateway.http.callers import caller_of, headers_of, headers_to_instance
from mlpgateway.http.routes import Match, match
from mlpgateway.proxy.call import Call
from mlpgateway.proxy.handler import CallHandler
from mlplace_kit.errors import MethodNotAllowed
from mlplace_runtime.auth.authenticator import CookieNames


class Front:
    """Raw ASGI: calls of models go to the hot path, everything else to `control`. Wrap it in RequestContext.

    That wrapper gives a request its id and its trace, limits its body and renders what is raised here.
    """

    def __init__(
        self,
        *,
        handler: CallHandler,
        admission: Admission,
        control: ASGIApp,
        cookies: CookieNames,
        origins: Origins,
    ) -> None:
        self._handler = handler
        self._admission = admission
        self._control = control
        self._cookies = cookies
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = match(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._control(scope, receive, send)
            return
        if scope["method"] != "POST":
            raise MethodNotAllowed
        with self._admission.enter():
            body = await _body(receive)
            if body is None:
                return
            call = self._call(scope, found, body)
            async with _while_connected(receive):
                if found.route.streamed:
                    await self._stream(call, send)
                else:
                    await send_answer(send, await self._handler.unary(call))

    def _call(self, scope: Scope, found: Match, body: bytes) -> Call:
        headers = headers_of(scope)
        caller = caller_of(scope, headers, cookies=self._cookies, origins=self._origins)
        content = found.route.read(body, scope["query_string"])
        return Call(
            request_id=scope["mlp.request_id"],
            account=found.account,
            model=found.model,
            operation=content.operation,
            caller=caller,
            data=content.data,
            config=content.config,
            config_id=content.config_id,
            method_name=content.method_name,
            params=content.params,
            headers=headers_to_instance(headers),
        )

    async def _stream(self, call: Call, send: Send) -> None:
        lines = LineStream(send)
        try:
            async with aclosing(self._handler.stream(call)) as answers:
                async for answer in answers:
                    await lines.part(answer)
        except Exception as error:
            if not lines.started:
                raise
            await lines.fail(error, call.request_id)
        else:
            await lines.end()


async def _body(receive: Receive) -> bytes | None:
    """None when the caller left before its end."""
    chunks: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunks.append(message.get("body", b""))
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


@asynccontextmanager
async def _while_connected(receive: Receive) -> AsyncGenerator[None]:
    """Cancels the block when the caller hangs up, and ends it quietly then: nobody is left to answer."""
    task = asyncio.current_task()
    gone = False

    async def watch() -> None:
        nonlocal gone
        while (await receive())["type"] != "http.disconnect":
            pass
        gone = True
        if task is not None:
            task.cancel()

    watcher = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if not gone or task is None or task.uncancel() > 0:
            raise
    finally:
        watcher.cancel()
