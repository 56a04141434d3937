"""Which HTTP headers go to an instance, and which of its headers go back to the caller.

Tenants answer at the platform's own origin. So no header goes back that sets the platform's cookies, controls its edge
or tells a browser how to treat the origin. A tenant's page runs in a sandbox, apart from that origin.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from mlpgateway.call.headers import ABOUT_MONEY, is_of_gate
from mlplace_gateproto.headers import RETRY_AFTER
from mlplace_kit.credentials import parse_credential

_HOP_BY_HOP: Final = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
     "transfer-encoding", "upgrade", "http2-settings"}
)  # fmt: skip
_NOT_TO_INSTANCES: Final = _HOP_BY_HOP | {
    "host", "content-length", "cookie", "expect", "forwarded", "proxy", "via", "x-real-ip", "z-requestid", "z-priority",
    "traceparent", "tracestate", "baggage",
}  # fmt: skip
_NEVER_TO_INSTANCES: Final = ("mlp-", "sec-websocket-", "x-forwarded-", "x-accel-", "x-original-", "x-rewrite-")
_NOT_TO_CALLERS: Final = (
    _HOP_BY_HOP
    | ABOUT_MONEY
    | {
        "set-cookie", "set-cookie2", "clear-site-data", "strict-transport-security", "public-key-pins", "alt-svc",
        "service-worker-allowed", "x-sendfile", "refresh", "nel", "report-to", "reporting-endpoints", "date", "server",
        "referrer-policy",
        "x-content-type-options",
    }
)  # fmt: skip
_NEVER_TO_CALLERS: Final = ("sec-websocket-", "x-accel-", "access-control-")
_OF_THE_PROTOCOL: Final = b"z-"
_RETRY_AFTER: Final = RETRY_AFTER.lower().encode()
SANDBOX: Final = (
    (b"content-security-policy", b"sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads"),
    (b"x-accel-buffering", b"no"),
)


def to_instance(raw: Iterable[tuple[bytes, bytes]], *, socket: bool = False) -> tuple[tuple[str, str], ...]:
    """Returns the headers of a caller's request that go to the instance; names are in lower case.

    The caller's Authorization goes on only beside a key in MLP-API-KEY, and never when it holds a key of the platform.
    The Origin of a `socket` is dropped: servers compare it with their own address, and the gateway checks it itself.
    """
    given = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw]
    keyed = any(name == "mlp-api-key" for name, _ in given)
    named = _named(value for name, value in given if name == "connection")
    return tuple(
        (name, value)
        for name, value in given
        if name not in _NOT_TO_INSTANCES
        and name not in named
        and not name.startswith(_NEVER_TO_INSTANCES)
        and (name != "authorization" or (keyed and not _is_ours(value)))
        and (name != "origin" or not socket)
    )


def _is_ours(authorization: str) -> bool:
    return any(parse_credential(word) is not None for word in authorization.split())


def _named(values: Iterable[str]) -> frozenset[str]:
    """Returns the header names that a Connection header lists as hop-by-hop."""
    return frozenset(name.strip().lower() for value in values for name in value.split(","))


def of_protocol(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Returns the protocol's own headers (Z-*) that an instance sends to the gate, as it would over a stream."""
    return {
        name.decode("latin-1"): value.decode("latin-1") for name, value in raw if name[:2].lower() == _OF_THE_PROTOCOL
    }


def of_answer(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Returns the headers that count of an answer whose body the gate reads: also Retry-After, for an error in it."""
    told: dict[str, str] = {}
    for name, value in raw:
        if name[:2].lower() == _OF_THE_PROTOCOL:
            told[name.decode("latin-1")] = value.decode("latin-1")
        elif name.lower() == _RETRY_AFTER:
            told[RETRY_AFTER] = value.decode("latin-1")
    return told


def to_caller(raw: Iterable[tuple[bytes, bytes]], own: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Returns the headers of an instance's answer that go to the caller, and the gate's own headers."""
    given = [(name.lower(), value) for name, value in raw]
    named = _named(value.decode("latin-1") for name, value in given if name == b"connection")
    kept = [
        (name, value)
        for name, value in given
        if (text := name.decode("latin-1")) not in _NOT_TO_CALLERS
        and text not in named
        and not text.startswith(_NEVER_TO_CALLERS)
        and not is_of_gate(text)
    ]
    there = {name for name, _ in kept}
    told = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in own.items()]
    return [*kept, *((name, value) for name, value in told if name not in there)]
