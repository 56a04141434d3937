"""The HTTP adapters, dispatched before the web framework."""

from typing import Final

from msgspec.structs import replace
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mlpgateway.call.call import Caller
from mlpgateway.call.handler import CallHandler
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.routes import AdapterRoute, Found, match
from mlpgateway.entry.call_options import SERVED, CallOptions, options_of
from mlpgateway.entry.http.callers import bare_key, caller_of, headers_of
from mlpgateway.entry.http.wire import WhileConnected, expected_size, read_body
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.entry.large_bodies.reader import LargeBodyReader
from mlpgateway.features.idempotency.service import IdempotentCalls
from mlpgateway.policy.access.entrance import Holders
from mlpgateway.policy.access.model_directory import ModelDirectory
from mlpgateway.shares.admission import Admission
from mlplace_kit.errors import DomainError, MethodNotAllowed, RouteNotFound
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.web.errors import from_unexpected

_TYPES: Final = frozenset({"http", "websocket"})
_STARTS: Final = frozenset({"http.response.start", "websocket.http.response.start"})


class Adapters:
    """A raw ASGI app: serves the adapters' paths, and passes all others to `others`. Runs inside RequestContext."""

    def __init__(
        self,
        *,
        handler: CallHandler,
        idempotent_calls: IdempotentCalls,
        directory: ModelDirectory,
        admission: Admission,
        holders: Holders,
        large_bodies: LargeBodyReader,
        others: ASGIApp,
        cookies: CookieNames,
    ) -> None:
        self._handler = handler
        self._idempotent_calls = idempotent_calls
        self._directory = directory
        self._admission = admission
        self._holders = holders
        self._large_bodies = large_bodies
        self._others = others
        self._cookies = cookies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = match(scope["path"]) if scope["type"] in _TYPES else None
        if found is None:
            await self._others(scope, receive, send)
            return
        if scope["type"] == "websocket":  # no adapter has one
            await refuse(found, RouteNotFound(), scope, receive, send)
            return
        answer = _Answer(send, scope["mlp.request_id"])
        try:
            await self._serve(found, scope, receive, answer)
        except Exception as error:
            if answer.started:
                raise  # part of the answer is sent: only a cut connection can report the error
            await found.refuse(from_unexpected(error), scope["mlp.request_id"])(scope, receive, answer)

    async def _serve(self, found: Found, scope: Scope, receive: Receive, send: Send) -> None:
        route, headers = _route(found, scope), headers_of(scope)
        options = options_of(scope, headers, route.name)
        caller = _with_bare_key(caller_of(scope, headers, cookies=self._cookies), headers)
        with self._admission.enter(await self._holders.holder(caller), expected_size(scope)) as entry:
            body = await read_body(scope, receive, entry)
            if body is None:
                return
            whole = body if isinstance(body, SharedBody) else bytes(body)
            incoming = self._incoming(found, scope, caller, headers, options, whole, send)
            del body, whole
            with WhileConnected(receive):
                await route.serve(incoming)

    def _incoming(
        self,
        found: Found,
        scope: Scope,
        caller: Caller,
        headers: dict[str, str],
        options: CallOptions,
        body: bytes | SharedBody,
        send: Send,
    ) -> AdapterRequest:
        return AdapterRequest(
            request_id=scope["mlp.request_id"],
            caller=caller,
            headers=headers,
            options=options,
            scope=scope,
            rest=found.rest,
            model=found.model,
            body=body,
            large_bodies=self._large_bodies,
            send=send,
            handler=self._handler,
            idempotent_calls=self._idempotent_calls,
            directory=self._directory,
        )


async def refuse(found: Found, error: DomainError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers a request that another front refuses, in the form of the adapter."""
    request_id: str = scope["mlp.request_id"]
    await found.refuse(error, request_id)(scope, receive, _Answer(send, request_id))


class _Answer:
    """Tracks whether the status was sent, and adds the request id in the header that OpenAI's clients read."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] in _STARTS:
            self.started = True
            message["headers"] = [*message.get("headers", ()), (b"x-request-id", self._request_id.encode("latin-1"))]
        await self._send(message)


def _route(found: Found, scope: Scope) -> AdapterRoute:
    """Raises RouteNotFound, MethodNotAllowed."""
    if not found.routes:
        raise RouteNotFound
    routes = dict(found.routes)
    read = routes.get("GET")
    if read is not None and SERVED[read.name].reads:  # else HEAD would call a model, for nothing and for money
        routes["HEAD"] = read
    route = routes.get(scope["method"])
    if route is None:
        raise MethodNotAllowed(routes)
    return route


def _with_bare_key(caller: Caller, headers: dict[str, str]) -> Caller:
    """Accepts a key in Authorization without a scheme, too."""
    given = bare_key(headers)
    if given is None:
        return caller
    return replace(caller, credential=given, credential_is_session=False, selected_account=None)
