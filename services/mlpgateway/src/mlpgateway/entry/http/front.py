"""Calls of models over HTTP, dispatched before the web framework."""

from collections.abc import Mapping
from contextlib import aclosing

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mlpgateway.call.call import Call, Caller, Content
from mlpgateway.call.handler import CallHandler
from mlpgateway.entry.call_options import options_of
from mlpgateway.entry.http.answers import send_answer
from mlpgateway.entry.http.callers import caller_of, headers_of, headers_to_instance
from mlpgateway.entry.http.routes import Match, match
from mlpgateway.entry.http.streams import EventStream, LineStream, PartStream, as_text
from mlpgateway.entry.http.wire import Received, WhileConnected, expected_size, identifying, read_body
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.entry.large_bodies.reader import LargeBodyReader
from mlpgateway.features.idempotency.service import IdempotentCalls
from mlpgateway.features.predictions.schemas import PredictionData
from mlpgateway.features.predictions.service import Predictions
from mlpgateway.policy.access.entrance import Holders
from mlpgateway.shares.admission import Admission
from mlplace_gateproto import headers as names
from mlplace_kit.errors import MethodNotAllowed
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.web.proof import prove


class Front:
    """A raw ASGI app: serves calls of models on the hot path, and passes all else to `control`.

    Wrap it in RequestContext, which gives each request its id and trace, limits its body and renders the errors that
    are raised here.
    """

    def __init__(
        self,
        *,
        handler: CallHandler,
        idempotent_calls: IdempotentCalls,
        predictions: Predictions,
        admission: Admission,
        holders: Holders,
        large_bodies: LargeBodyReader,
        control: ASGIApp,
        cookies: CookieNames,
    ) -> None:
        self._handler = handler
        self._idempotent_calls = idempotent_calls
        self._predictions = predictions
        self._admission = admission
        self._holders = holders
        self._large_bodies = large_bodies
        self._control = control
        self._cookies = cookies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = match(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._control(scope, receive, send)
            return
        if scope["method"] != "POST":
            raise MethodNotAllowed({"POST", *found.route.elsewhere})
        headers = headers_of(scope)
        options = options_of(scope, headers, found.route.name)
        caller = caller_of(scope, headers, cookies=self._cookies)
        holder = await self._holders.holder(caller)
        with self._admission.enter(holder, expected_size(scope)) as entry:
            body = await read_body(scope, receive, entry)
            if body is None:
                return
            content = await self._read(found, scope, body)
            call = _call(scope, found, caller, headers, content)
            request = identifying(scope, body) if options.given else ()
            del body, content  # frees memory: the call has what it needs
            with WhileConnected(receive):
                if found.route.streamed:
                    await self._stream(call, _way_of(scope, send))
                elif options.respond_async:
                    made, again = await self._predictions.create(
                        call, options.webhook, key=options.key, request=request
                    )
                    await _begun(made, replayed=again)(scope, receive, send)
                elif options.key is not None:
                    answer = await self._idempotent_calls.answer(call, key=options.key, request=request)
                    await send_answer(send, answer)
                else:
                    await send_answer(send, await self._handler.unary(call))
                prove(scope)

    async def _read(self, found: Match, scope: Scope, body: Received) -> Content:
        if isinstance(body, SharedBody):
            return await self._large_bodies.read(found.route.read, body, scope["query_string"])
        return found.route.read(body, scope["query_string"])

    async def _stream(self, call: Call, parts: PartStream) -> None:
        try:
            async with aclosing(self._handler.stream(call, as_text)) as answers:
                async for answer in answers:
                    await parts.part(answer)
        except Exception as error:
            if not parts.started:
                raise
            await parts.fail(error, call.request_id)
        else:
            await parts.end()


def _call(scope: Scope, found: Match, caller: Caller, headers: Mapping[str, str], content: Content) -> Call:
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


def _begun(made: PredictionData, *, replayed: bool) -> Response:
    """Returns 202 with the address of the prediction."""
    headers = {"Location": made.urls.get, "Preference-Applied": "respond-async"}
    if replayed:
        headers[names.REPLAYED] = "true"
    return Response(made.as_json(), 202, headers=headers, media_type="application/json")


def _way_of(scope: Scope, send: Send) -> PartStream:
    """Returns a stream of lines, or of server-sent events when the caller accepts them in one of its Accept lines."""
    accepted = (value for name, value in scope["headers"] if name == b"accept")
    return EventStream(send) if any(b"text/event-stream" in value.lower() for value in accepted) else LineStream(send)
