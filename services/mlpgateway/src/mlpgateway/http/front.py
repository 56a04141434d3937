"""Calls of models over HTTP, dispatched before the web framework."""

from contextlib import aclosing

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mlpgateway.gate.admission import Admission
from mlpgateway.gate.origins import Origins
from mlpgateway.http.answers import send_answer
from mlpgateway.http.callers import caller_of, headers_of, headers_to_instance
from mlpgateway.http.routes import Match, match
from mlpgateway.http.streams import EventStream, LineStream, PartStream
from mlpgateway.http.wire import read_body, while_connected
from mlpgateway.once.errors import IdempotencyNotForStreams
from mlpgateway.once.service import HEADER, CallsOnce
from mlpgateway.predictions.service import Predictions, wants_no_wait
from mlpgateway.proxy.call import Answer, Call
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
        once: CallsOnce,
        predictions: Predictions,
        admission: Admission,
        control: ASGIApp,
        cookies: CookieNames,
        origins: Origins,
    ) -> None:
        self._handler = handler
        self._once = once
        self._predictions = predictions
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
            body = await read_body(receive)
            if body is None:
                return
            call = self._call(scope, found, body)
            async with while_connected(receive):
                if found.route.streamed:
                    _refuse_key(scope)
                    await self._stream(call, _way_of(scope, send))
                elif wants_no_wait(headers_of(scope)):
                    await self._begin(call, scope, body, receive, send)
                else:
                    await send_answer(send, await self._answer(call, scope, body))

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

    async def _answer(self, call: Call, scope: Scope, body: bytes) -> Answer:
        key = headers_of(scope).get(HEADER)
        if key is None:
            return await self._handler.unary(call)
        return await self._once.answer(call, key=key, request=_whole(scope, body))

    async def _begin(self, call: Call, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Answer with where the outcome will be."""
        made = await self._predictions.create(call, headers_of(scope), request=_whole(scope, body))
        headers = {"Location": made.urls.get, "Preference-Applied": "respond-async"}
        answer = Response(made.model_dump_json(by_alias=True), 202, headers=headers, media_type="application/json")
        await answer(scope, receive, send)

    async def _stream(self, call: Call, parts: PartStream) -> None:
        try:
            async with aclosing(self._handler.stream(call)) as answers:
                async for answer in answers:
                    await parts.part(answer)
        except Exception as error:
            if not parts.started:
                raise
            await parts.fail(error, call.request_id)
        else:
            await parts.end()


def _whole(scope: Scope, body: bytes) -> bytes:
    """All that makes a request what it is."""
    return f"{scope['path']}?".encode() + scope["query_string"] + b"\n" + body


def _refuse_key(scope: Scope) -> None:
    """Raises IdempotencyNotForStreams."""
    if HEADER in headers_of(scope):
        raise IdempotencyNotForStreams


def _way_of(scope: Scope, send: Send) -> PartStream:
    """Lines, unless the caller asks for server-sent events."""
    accepted = headers_of(scope).get("accept", "")
    return EventStream(send) if "text/event-stream" in accepted.lower() else LineStream(send)
