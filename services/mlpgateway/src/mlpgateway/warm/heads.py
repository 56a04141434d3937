"""Recognises the heads of calls without anything unusual."""

from functools import lru_cache
from typing import Final

import msgspec
from msgspec.structs import replace

from mlpgateway.call.json_bodies import read_predict
from mlpgateway.entry.adapters import routes as adapters
from mlpgateway.entry.adapters.openai.chat import chat
from mlpgateway.entry.http.callers import API_KEY, bearer
from mlpgateway.entry.http.routes import match
from mlpgateway.entry.sockets.front import match as passed_on
from mlplace_kit.errors import DomainError
from mlplace_runtime.process.http.direct import Headers
from mlplace_runtime.telemetry import current
from mlplace_runtime.web.request_context import REQUEST_ID_HEADER, request_id_from

MOST_BYTES: Final = 64 * 1024
"""The largest body of a call that is served this way."""
_MOST_DIGITS: Final = 5
_MOST_TARGET_BYTES: Final = 256
"""Longer targets go the ordinary way: routes and judged calls are kept, and anybody may send any target."""
_PASSED_ON: Final = "/http/"
_KEY: Final = API_KEY.encode()
_AUTHORIZATION, _LENGTH = b"authorization", b"content-length"
_TRACE_PARENT: Final = current.TRACE_PARENT.encode()
_REQUEST_ID: Final = REQUEST_ID_HEADER.lower().encode()
_READ: Final = frozenset({_KEY, _AUTHORIZATION, _LENGTH, _TRACE_PARENT, _REQUEST_ID})
WITHOUT_EFFECT: Final = frozenset({
    b"accept", b"accept-charset", b"accept-encoding", b"accept-language", b"baggage", b"cache-control", b"connection",
    b"content-type", b"dnt", b"forwarded", b"host", b"keep-alive", b"pragma", b"priority", b"referer",
    b"sec-ch-ua", b"sec-ch-ua-mobile", b"sec-ch-ua-platform", b"sec-fetch-dest", b"sec-fetch-mode", b"sec-fetch-site",
    b"sec-fetch-user", b"tracestate", b"user-agent", b"via", b"x-client-data", b"x-forwarded-for",
    b"x-forwarded-host", b"x-forwarded-port", b"x-forwarded-proto", b"x-real-ip", b"x-request-id", b"x-requested-with",
    b"x-stainless-arch", b"x-stainless-async", b"x-stainless-lang", b"x-stainless-os", b"x-stainless-package-version",
    b"x-stainless-read-timeout", b"x-stainless-retry-count", b"x-stainless-runtime", b"x-stainless-runtime-version",
    b"x-stainless-timeout",
})  # fmt: skip
"""Headers that change nothing about such a call. A header that is not here sends the call the ordinary way, so one that
gets a meaning is never overlooked.
"""


class Target(msgspec.Struct, frozen=True):
    """`account` and `model` are path references, as in Call; a conversation names its model in the body only.

    `path` is set for a request that is passed on: its path at the instance. `prefix` is the path before it.
    """

    account: str = ""
    model: str = ""
    is_chat: bool = False
    path: str | None = None
    prefix: str = ""


class PlainHead(msgspec.Struct, frozen=True):
    key: str
    target: Target
    client_ip: str
    request_id: str
    trace_parent: str | None
    headers: Headers
    """All headers, as the caller has sent them."""


def plain_head(target: bytes, headers: Headers, peer: str) -> PlainHead | None:
    """Returns None for all that is not a call with a key and a small body, and nothing else."""
    found = _target_of(target) if len(target) <= _MOST_TARGET_BYTES else None
    given = _given(headers)
    if found is None or given is None or not _is_small(given.get(_LENGTH, b"")):
        return None
    key = given.get(_KEY, b"").decode("latin-1") or bearer(given.get(_AUTHORIZATION, b"").decode("latin-1"))
    if not key:
        return None
    trace = given.get(_TRACE_PARENT)
    return PlainHead(
        key,
        found,
        peer,
        request_id_from(given.get(_REQUEST_ID)),
        None if trace is None else current.known_trace(trace.decode("latin-1")),
        headers,
    )


@lru_cache(maxsize=4096)
def _target_of(target: bytes) -> Target | None:
    if b"?" in target or b"%" in target or not target.isascii():
        return None
    path = target.decode("ascii")
    adapter = adapters.match(path)
    if adapter is not None:
        route = adapter.routes.get("POST")
        return Target(is_chat=True) if route is not None and route.serve is chat else None
    if _PASSED_ON in path:
        return _passed_on(path)
    found = match(path)
    if found is None or found.route.read is not read_predict or found.route.streamed:
        return None
    return named(found.account, found.model)


def _passed_on(path: str) -> Target | None:
    try:
        found = passed_on({"path": path, "query_string": b""})
    except DomainError:
        return None
    target = None if found is None or found.page_pass is not None else named(found.account, found.model)
    return None if target is None or found is None else replace(target, path=found.target, prefix=found.prefix)


def named(account: str, model: str) -> Target | None:
    """Returns None for ids with leading zeros, which are other spellings of one id: each would get its own verdict.

    Long names are left out for the same reason as long targets.
    """
    if not (_is_usual(account) and _is_usual(model)) or len(account) + len(model) > _MOST_TARGET_BYTES:
        return None
    return Target(account, model) if account.isascii() and model.isascii() else None


def _is_usual(reference: str) -> bool:
    return not (reference.startswith("0") and reference.isdigit())


def _given(headers: Headers) -> dict[bytes, bytes] | None:
    """Returns the headers that are read; None when one of them is repeated, or another header may have a meaning."""
    given: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in _READ:
            if name in given:
                return None
            given[name] = value
        elif name not in WITHOUT_EFFECT:
            return None
    return given


def _is_small(length: bytes) -> bool:
    return length.isdigit() and len(length) <= _MOST_DIGITS and 0 < int(length) <= MOST_BYTES
