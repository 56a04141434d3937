"""Calls that pages of other sites make with a key: a key lists the origins whose pages may make them.

The rules, which docs/limits.md explains:

* A preflight request names no key. It is answered if any live key lists its origin, or `*`.
* A request with a key that lists origins is refused when its own origin is not among them; so is one whose paying key
  does. It makes no difference whether the key's event has arrived. A key without a list is refused where the browser
  says that a page of another site sends it (Sec-Fetch-Site): the preflight may have been answered for another key.
  Other requests with such a key work as without this module.
* Answers to listed origins have CORS headers, errors included. An answer that no live key is known for, such as 401 of
  a wrong key, has them if any key lists the origin.
* Sessions never count: no answer allows credentials, and a request with cookies and no key has no CORS headers.
* WebSockets have no CORS; only the refusal applies to them.

The list binds browsers. Other programs send the Origin that they like, or none.
"""

import re
from collections.abc import Awaitable, Sequence
from typing import Final, NamedTuple

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mlpgateway.entry.adapters import routes as adapters
from mlpgateway.entry.adapters.front import refuse
from mlpgateway.entry.cors import Headers, answer_preflight, header, is_preflight, make_readable, readable_by
from mlpgateway.entry.http import routes as calls
from mlpgateway.entry.http.callers import API_KEY, BILLING_KEY, bare_key, client_of, headers_of, key_of
from mlpgateway.entry.sockets import front as passed_on
from mlpgateway.errors.calls import OriginNotAllowed
from mlpgateway.errors.gate import GateOverloaded
from mlpgateway.errors.shares import ShareExceeded
from mlpgateway.policy.access.entrance import Entrance
from mlpgateway.policy.access.keyring import Keyring
from mlplace_gateproto import headers as names
from mlplace_kit.errors import DomainError, MalformedRequest, Unavailable
from mlplace_kit.web_origins import ANY_ORIGIN
from mlplace_runtime.auth.authenticator import API_KEY_HEADER, is_of_own_site
from mlplace_runtime.web.errors import from_unexpected

_ORIGIN: Final = b"origin"
_EXPOSED: Final = b"*"
"""All headers: their names grow with the platform and with models, and a script that has the key may read them all."""
_AUTHORIZATION: Final = "Authorization"
_SITE: Final = "sec-fetch-site"
_OTHER_SITES: Final = frozenset({"cross-site", "same-site"})
_TYPES: Final = frozenset({"http", "websocket"})
_PREDICTIONS: Final = re.compile(r"/api/mlpgateway/account/[^/]+/predictions(?:/.*)?")


class CrossOrigin:
    """A raw ASGI app: serves pages of other sites, and passes all other requests to `others` unchanged.

    Runs inside RequestContext. A request without an Origin costs half a microsecond more.
    """

    def __init__(self, *, keyring: Keyring, entrance: Entrance, others: ASGIApp) -> None:
        self._keyring = keyring
        self._entrance = entrance
        self._others = others

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] in _TYPES and _ORIGIN in dict(scope["headers"]):
            return self._serve(scope, receive, send)
        return self._others(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_of_own_site(HTTPConnection(scope)) or not _takes_keys(scope):
            await self._others(scope, receive, send)
            return
        origin = (header(scope, _ORIGIN) or b"").decode("latin-1")
        request = self._read(scope)
        try:
            lists = await self._lists(request, client_of(scope))
            refusal = _refusal(origin, request, lists)
        except (Unavailable, ShareExceeded, GateOverloaded) as error:
            lists, refusal = _Lists(None, None), error
        if scope["type"] == "websocket":
            if refusal is None:
                await self._others(scope, receive, send)
            else:
                await _refuse(refusal, scope, receive, send)
            return
        allowed = self._readable_by(origin, request, lists)
        if request.key is None and is_preflight(scope):
            if allowed is None:
                await self._others(scope, receive, send)
            else:
                await answer_preflight(scope, send, readable_by(allowed.encode()))
            return
        headers = () if allowed is None else readable_by(allowed.encode(), exposed=_EXPOSED)
        answer = _Readable(send, headers)
        try:
            if refusal is None:
                await self._others(scope, receive, answer)
            else:
                await _refuse(refusal, scope, receive, answer)
        except Exception as error:
            if answer.started:
                raise
            shown = from_unexpected(error)
            make_readable(shown, headers)
            raise shown from (None if shown is error else error)

    def _read(self, scope: Scope) -> "_Request":
        headers = headers_of(scope)
        key, billing_key = key_of(headers) or bare_key(headers), headers.get(BILLING_KEY)
        return _Request(
            key,
            header=API_KEY_HEADER if headers.get(API_KEY) else _AUTHORIZATION,
            billing_key=billing_key or None,
            cookies="cookie" in headers,
            is_of_other_site=headers.get(_SITE) in _OTHER_SITES,
        )

    async def _lists(self, request: "_Request", address: str) -> "_Lists":
        """Raises Unavailable, ShareExceeded, GateOverloaded."""
        return _Lists(await self._listed(request.key, address), await self._listed(request.billing_key, address))

    async def _listed(self, key: str | None, address: str) -> Sequence[str] | None:
        if key is None:
            return None
        if self._keyring.has(key):
            return await self._keyring.allowed_origins(key)
        with self._entrance.looking_up(address):
            return await self._keyring.allowed_origins(key)

    def _readable_by(self, origin: str, request: "_Request", lists: "_Lists") -> str | None:
        """Returns the origin whose scripts may read the answer, or `*`. Nothing is sent back that no key lists."""
        if lists.own is not None:
            return next((each for each in lists.own if each in {origin, ANY_ORIGIN}), None)
        if request.key is None and request.cookies:
            return None
        return self._keyring.listed_form(origin)


class _Request(NamedTuple):
    """`key` is the text of the caller's key in `header`, `billing_key` that of the key that pays.

    `is_of_other_site`: a browser says so. Programs do not, and neither do browsers at an address without TLS.
    """

    key: str | None
    header: str
    billing_key: str | None
    cookies: bool
    is_of_other_site: bool


class _Lists(NamedTuple):
    """The origins that the caller's key and the paying key list; None for a key that is missing or not live."""

    own: Sequence[str] | None
    paying: Sequence[str] | None


class _Readable:
    """Adds the headers to the answer, and notes that it has begun."""

    def __init__(self, send: Send, headers: Headers) -> None:
        self._send = send
        self._headers = headers
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            message["headers"] = [*message.get("headers", ()), *self._headers]
        await self._send(message)


def _refusal(origin: str, request: _Request, lists: _Lists) -> OriginNotAllowed | None:
    for listed, name in ((lists.own, request.header), (lists.paying, names.BILLING_KEY)):
        if listed is None or not (listed or request.is_of_other_site):
            continue
        if not {origin, ANY_ORIGIN} & set(listed):
            return OriginNotAllowed(header=name)
    return None


async def _refuse(refusal: DomainError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers in the form of the adapter, or raises the refusal."""
    adapter = adapters.match(scope["path"])
    if adapter is None:
        raise refusal
    await refuse(adapter, refusal, scope, receive, send)


def _takes_keys(scope: Scope) -> bool:
    """Returns whether the path is one where a key calls a model, or reads predictions that it has made.

    Pages of models have CORS of their own; visitors' calls take no key; the rest of the API is for programs.
    """
    path: str = scope["path"]
    if calls.match(path) or adapters.match(path) or _PREDICTIONS.fullmatch(path):
        return True
    try:
        found = passed_on.match(scope)
    except MalformedRequest:  # raised once more where its answer gets the headers
        return not path.startswith(passed_on.PAGES)
    return found is not None and found.page_pass is None
