"""Requests that go on to an instance as they are, dispatched before the web framework."""

from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

from mlpgateway.gate.admission import Admission
from mlpgateway.gate.origins import Origins
from mlpgateway.http.callers import caller_of, headers_of, headers_to_instance
from mlpgateway.http_instances.headers import PAGE, SANDBOX, to_caller, to_instance
from mlpgateway.http_instances.incoming import Incoming
from mlpgateway.http_instances.sockets import CallerSocket, refuse_other_sites
from mlpgateway.proxy.call import Answer, Call, Caller, HttpRequest, Operation, Payload
from mlpgateway.proxy.handler import CallHandler
from mlplace_kit.errors import AccessDenied, DomainError, MalformedRequest, MethodNotAllowed
from mlplace_runtime.auth.authenticator import CookieNames

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PAGES: Final = "/api/mlpgateway/application/"
PATH: Final = "/api/mlpgateway/account/{account}/model/{model}/http/{path}"
_PREFIX: Final = "/api/mlpgateway/account/"
_WORD: Final = "http"
_TYPES: Final = frozenset({"http", "websocket"})
_OWN_SITES: Final = frozenset({"same-origin", "none"})
_PARTS: Final = 8
_PASS_FIELDS: Final = 6
_MOST_TARGET: Final = 8000


class HttpFront:
    """Raw ASGI: its addresses are served here, everything else by `others`. Stands within RequestContext."""

    def __init__(
        self,
        *,
        handler: CallHandler,
        admission: Admission,
        others: ASGIApp,
        cookies: CookieNames,
        origins: Origins,
    ) -> None:
        self._handler = handler
        self._admission = admission
        self._others = others
        self._cookies = cookies
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = match(scope) if scope["type"] in _TYPES else None
        if found is None:
            await self._others(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._converse(scope, found, receive, send)
            return
        if found.page_pass is not None and _asks_before(scope):
            await _let_ask(send)
            return
        if scope["method"] not in METHODS:
            raise MethodNotAllowed
        with _readable_by(found), self._admission.enter():
            incoming = await Incoming.begin(receive)
            if incoming is None:
                return
            call = self._call(scope, found, incoming.whole)
            with incoming.connected:
                await _answer(self._answers(call, incoming), send, PAGE if found.page_pass else SANDBOX)

    async def _converse(self, scope: Scope, found: "Found", receive: Receive, send: Send) -> None:
        with self._admission.enter() as entry:
            socket = CallerSocket(receive, send, entry)
            if not await socket.begin():
                return
            call = self._call(scope, found, None)
            if call.caller.credential_is_session:
                refuse_other_sites(scope)
            with socket:
                answers = self._handler.duplex(call, socket.messages())
                await socket.serve(answers, PAGE if found.page_pass else SANDBOX)

    def _answers(self, call: Call, incoming: Incoming) -> AsyncGenerator[Answer]:
        if incoming.whole is not None:
            return self._handler.stream(call)
        return self._handler.duplex(call, incoming.parts())

    def _caller(self, scope: Scope, headers: Mapping[str, str], found: "Found") -> Caller:
        if found.page_pass is None:
            return caller_of(scope, headers, cookies=self._cookies, origins=self._origins)
        nobody = caller_of(scope, {}, cookies=self._cookies, origins=self._origins)
        return Caller(found.page_pass, credential_is_session=False, billing_key=None, client_ip=nobody.client_ip)

    def _call(self, scope: Scope, found: "Found", body: bytes | None) -> Call:
        headers, socket = headers_of(scope), scope["type"] == "websocket"
        caller = self._caller(scope, headers, found)
        if caller.credential_is_session and headers.get("sec-fetch-site", "none") not in _OWN_SITES:
            raise AccessDenied  # another site's link would call a service, and have its visitor pay
        length = headers.get("content-length", "")
        return Call(
            request_id=scope["mlp.request_id"],
            account=found.account,
            model=found.model,
            operation=Operation.PREDICT,
            caller=caller,
            data=Payload(protobuf=body) if body or length else None,
            headers=headers_to_instance(headers),
            http=HttpRequest(
                method=scope.get("method", "GET"),
                target=found.target,
                headers=to_instance(scope["headers"], socket=socket),
                protocols=tuple(scope["subprotocols"]) if socket else None,
                of_page=found.page_pass is not None,
                length=int(length) if length.isascii() and length.isdigit() and len(length) < 19 else None,
            ),
        )


@dataclass(frozen=True, slots=True)
class Found:
    """`target` is the path at the instance and the query, as they came. `page_pass` stands in place of other rights."""

    account: str
    model: str
    target: str
    page_pass: str | None = None


def match(scope: Scope) -> Found | None:
    """None for other addresses. What is escaped in the path stays so. Raises MalformedRequest."""
    if not scope["path"].startswith((_PREFIX, PAGES)):
        return None
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    path = raw.partition(b"?")[0].decode("latin-1")
    if path.startswith(PAGES):
        return _page(path.removeprefix(PAGES), scope)
    parts = path.split("/", _PARTS)
    if len(parts) < _PARTS or parts[7] != _WORD or parts[5] != "model":
        return None
    account, model = unquote(parts[4]), unquote(parts[6])
    if not account or not model:
        return None
    return Found(account, model, _target(parts[_PARTS] if len(parts) > _PARTS else "", scope))


def _page(path: str, scope: Scope) -> Found | None:
    """The pass says whose page it is; whether it holds is for the hot path to see."""
    page_pass, _, rest = path.partition("/")
    fields = page_pass.split("-")
    if len(fields) != _PASS_FIELDS:
        return None
    return Found(fields[2], fields[3], _target(rest, scope), page_pass)


def _target(path: str, scope: Scope) -> str:
    target = "/" + path
    query: bytes = scope["query_string"]
    if query:
        target = f"{target}?{query.decode('latin-1')}"
    if len(target) > _MOST_TARGET or not target.isascii() or not target.isprintable() or {" ", "#"} & set(target):
        raise MalformedRequest(reason="its path cannot go on as it is")
    return target


@contextmanager
def _readable_by(found: Found) -> Generator[None]:
    """Scripts of a page are told errors, too: browsers keep from them what does not say that they may read it."""
    try:
        yield
    except DomainError as error:
        if found.page_pass is not None:
            error.answer_headers = {**error.answer_headers, "Access-Control-Allow-Origin": "*"}
        raise


def _asks_before(scope: Scope) -> bool:
    """A sandboxed page is an origin of its own: browsers ask whether its scripts may call where it came from."""
    return scope["method"] == "OPTIONS" and any(
        name == b"access-control-request-method" for name, _ in scope["headers"]
    )


async def _let_ask(send: Send) -> None:
    headers = [*PAGE, (b"access-control-allow-methods", ", ".join(METHODS).encode())]
    headers += [(b"access-control-allow-headers", b"*"), (b"access-control-max-age", b"600")]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _answer(answers: AsyncGenerator[Answer], send: Send, own: Iterable[tuple[bytes, bytes]]) -> None:
    """Writing waits while the caller does not read."""
    async with aclosing(answers):
        async for answer in answers:
            if answer.http is not None:
                headers = [*to_caller(answer.http.headers, answer.headers), *own]
                await send({"type": "http.response.start", "status": answer.http.status, "headers": headers})
            body = answer.payload.protobuf or b""
            if body or answer.last:
                await send({"type": "http.response.body", "body": body, "more_body": not answer.last})
