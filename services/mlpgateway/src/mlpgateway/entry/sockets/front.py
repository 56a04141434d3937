"""Requests that are passed on to an instance unchanged, dispatched before the web framework."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from msgspec.structs import replace
from starlette.types import ASGIApp, Receive, Scope, Send

from mlpgateway.call.call import Answer, Call, Caller, HttpHead, HttpRequest, Operation, Payload
from mlpgateway.call.handler import CallHandler
from mlpgateway.entry.call_options import options_of
from mlpgateway.entry.cors import METHODS, answer_preflight, is_preflight
from mlpgateway.entry.http.callers import PRIORITY, caller_of, headers_of, headers_to_instance
from mlpgateway.entry.sockets.incoming import IncomingRequest
from mlpgateway.entry.sockets.page_scripts import page_headers, readable_errors
from mlpgateway.instances.http.addresses import PublicAddress
from mlpgateway.instances.http.client.framing import BODILESS
from mlpgateway.instances.http.headers import SANDBOX, to_caller, to_instance
from mlpgateway.instances.http.sockets import CallerSocket, refuse_other_sites
from mlpgateway.policy.access.entrance import Holders
from mlpgateway.shares.admission import Admission
from mlplace_gateproto import headers as names
from mlplace_kit.denials import OtherSite
from mlplace_kit.errors import HeaderNotServed, MalformedRequest, MethodNotAllowed
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.process.http.socket import ON_LOST
from mlplace_runtime.web.request_context import keep_coding

PAGES: Final = "/api/mlpgateway/application/"
PATH: Final = "/api/mlpgateway/account/{account}/model/{model}/http/{path}"
_PREFIX: Final = "/api/mlpgateway/account/"
_WORD: Final = "http"
_ENTRY: Final = "httpInterface"
_MAX_PRICE: Final = names.MAX_PRICE.lower()
_BILLING_KEY: Final = names.BILLING_KEY.lower()
_TYPES: Final = frozenset({"http", "websocket"})
_LENGTH: Final = b"content-length"
_OWN_SITES: Final = frozenset({"same-origin", "none"})
_PARTS: Final = 8
_PASS_FIELDS: Final = 6
_MOST_TARGET: Final = 8000


class HttpFront:
    """A raw ASGI app: serves its own paths, and passes all others to `others`. Runs inside RequestContext."""

    def __init__(
        self,
        *,
        handler: CallHandler,
        admission: Admission,
        holders: Holders,
        others: ASGIApp,
        cookies: CookieNames,
    ) -> None:
        self._handler = handler
        self._admission = admission
        self._holders = holders
        self._others = others
        self._cookies = cookies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = match(scope) if scope["type"] in _TYPES else None
        if found is None:
            await self._others(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._converse(scope, found, receive, send)
            return
        if found.page_pass is not None and is_preflight(scope):
            await answer_preflight(scope, send, page_headers(scope))
            return
        if scope["method"] not in METHODS:
            raise MethodNotAllowed(METHODS)
        if found.lacks_slash:
            await redirect_to(found, scope, send)
            return
        with readable_errors(scope) if found.page_pass else nullcontext():
            await self._request(scope, found, receive, send)

    async def _request(self, scope: Scope, found: "Found", receive: Receive, send: Send) -> None:
        keep_coding(scope)
        headers = headers_of(scope)
        caller = self._caller(scope, headers, found)
        with self._admission.enter(await self._holders.holder(caller)) as entry:
            incoming = await IncomingRequest.begin(receive, entry)
            if incoming is None:
                return
            address = self._address(scope, found)
            call = _call(scope, found, caller, headers, address, incoming.whole)
            with incoming:
                await send_answers(self._answers(call, incoming), send, address, _own_headers(scope, found))

    async def _converse(self, scope: Scope, found: "Found", receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        caller = self._caller(scope, headers, found)
        if caller.credential_is_session:
            refuse_other_sites(scope)
        with self._admission.enter(await self._holders.holder(caller)) as entry:
            socket = CallerSocket(receive, send, entry)
            scope.get(ON_LOST, []).append(socket.lose)
            if not await socket.begin():
                return
            call = _call(scope, found, caller, headers, self._address(scope, found), None)
            with socket:
                answers = self._handler.duplex(call, socket.messages())
                await socket.serve(answers, _own_headers(scope, found))

    def _answers(self, call: Call, incoming: IncomingRequest) -> AsyncGenerator[Answer]:
        if incoming.whole is not None:
            return self._handler.stream(call)
        return self._handler.duplex(call, incoming.parts())

    def _caller(self, scope: Scope, headers: Mapping[str, str], found: "Found") -> Caller:
        """Raises AccessDenied, HeaderNotServed, and the errors of options_of."""
        options_of(scope, headers, _ENTRY)
        if found.page_pass is None:
            caller = caller_of(scope, headers, cookies=self._cookies)
            if caller.credential_is_session and headers.get("sec-fetch-site", "none") not in _OWN_SITES:
                raise OtherSite  # a link on another site must not call a model at its visitor's expense
            return caller
        if _BILLING_KEY in headers:  # a page could spend a key that lists the origins where it may be used
            raise HeaderNotServed(header=names.BILLING_KEY)
        bounds = {name: value for name, value in headers.items() if name in {_MAX_PRICE, PRIORITY}}
        nobody = caller_of(scope, bounds, cookies=self._cookies)
        return replace(nobody, credential=found.page_pass, credential_is_session=False)

    def _address(self, scope: Scope, found: "Found") -> PublicAddress:
        return PublicAddress.of(scope["headers"], found.prefix, secure=self._cookies.secure)


def _call(
    scope: Scope,
    found: "Found",
    caller: Caller,
    headers: Mapping[str, str],
    address: PublicAddress,
    body: bytes | None,
) -> Call:
    socket, length = scope["type"] == "websocket", headers.get("content-length", "")
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
            headers=(*to_instance(scope["headers"], socket=socket), *address.headers()),
            protocols=tuple(scope["subprotocols"]) if socket else None,
            of_page=found.page_pass is not None,
            length=int(length) if length.isascii() and length.isdigit() and len(length) < 19 else None,
        ),
    )


@dataclass(frozen=True, slots=True)
class Found:
    """`target` is the path at the instance with the query, unchanged; `prefix` is the path before it.

    `page_pass` is the credential of a page, which replaces all others.
    """

    account: str
    model: str
    prefix: str
    target: str
    page_pass: str | None = None
    lacks_slash: bool = False
    """The address without its final slash: relative addresses in the answer, such as a page's, would lead elsewhere."""


def match(scope: Scope) -> Found | None:
    """Returns None for other paths. Percent-encoding is kept. Raises MalformedRequest."""
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
    lacks_slash = len(parts) == _PARTS
    target = _target("" if lacks_slash else parts[_PARTS], scope)
    return Found(account, model, _plain("/".join(parts[:_PARTS])), target, lacks_slash=lacks_slash)


def _page(path: str, scope: Scope) -> Found | None:
    """Reads the page's account and model from the pass. The hot path checks whether the pass is valid."""
    page_pass, slash, rest = path.partition("/")
    fields = page_pass.split("-")
    if len(fields) != _PASS_FIELDS:
        return None
    prefix, target = _plain(PAGES + page_pass), _target(rest, scope)
    return Found(fields[2], fields[3], prefix, target, page_pass, lacks_slash=not slash)


def _target(path: str, scope: Scope) -> str:
    target = "/" + path
    query: bytes = scope["query_string"]
    if query:
        target = f"{target}?{query.decode('latin-1')}"
    if len(target) > _MOST_TARGET:
        raise MalformedRequest(reason="its path is too long, or holds characters that must be percent-encoded")
    return _plain(target)


def _plain(path: str) -> str:
    if not path.isascii() or not path.isprintable() or {" ", "#"} & set(path):
        raise MalformedRequest(reason="its path is too long, or holds characters that must be percent-encoded")
    return path


async def redirect_to(found: Found, scope: Scope, send: Send) -> None:
    """Redirects to the address with its slash, for every method. Only the path is named: the host is not known here."""
    location = f"{found.prefix}{found.target}".encode()
    headers = [(b"location", location), (b"content-length", b"0"), *_own_headers(scope, found)]
    await send({"type": "http.response.start", "status": 308, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _own_headers(scope: Scope, found: Found) -> Iterable[tuple[bytes, bytes]]:
    return SANDBOX if found.page_pass is None else page_headers(scope)


async def send_answers(
    answers: AsyncGenerator[Answer], send: Send, address: PublicAddress, own: Iterable[tuple[bytes, bytes]]
) -> None:
    """Sends the answer. Writing waits while the caller does not read."""
    async with aclosing(answers):
        async for answer in answers:
            if answer.http is not None:
                headers = [*shown_headers(answer.http, answer.headers, address), *own]
                await send({"type": "http.response.start", "status": answer.http.status, "headers": headers})
            body = answer.payload.protobuf or b""
            if body or answer.last:
                await send({"type": "http.response.body", "body": body, "more_body": not answer.last})


def shown_headers(head: HttpHead, told: Mapping[str, str], address: PublicAddress) -> list[tuple[bytes, bytes]]:
    """Returns the headers of an instance's answer as its caller gets them, with those that the gate tells.

    An answer without a body loses its length: the server would wait for as many bytes.
    """
    headers = address.located(head.status, to_caller(head.headers, told))
    return [header for header in headers if header[0] != _LENGTH] if head.status in BODILESS else headers
