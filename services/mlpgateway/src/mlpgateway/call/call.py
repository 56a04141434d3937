"""A call of a model, whichever way it came in, and its answer. Payloads stay opaque.

Structs where each call makes some: a frozen dataclass sets each field by a call.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import msgspec


class Operation(StrEnum):
    PREDICT = "predict"
    EXT = "ext"


class Payload(msgspec.Struct, frozen=True):
    """Either JSON text or bytes, as the wire's PayloadProto. `data_type` is informational."""

    json: str | None = None
    protobuf: bytes | None = None
    data_type: str | None = None


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request that goes on to an instance as it came. `target` is the path there and the query, both still escaped.

    `headers` are those that may go on; `length` is that of a body that comes in parts, where it is known.
    `protocols` are set where it begins a WebSocket: those that the caller offers, maybe none. `of_page`: it comes
    from the service's page, or asks for it.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    length: int | None = None
    protocols: tuple[str, ...] | None = None
    of_page: bool = False

    @property
    def loads_page(self) -> bool:
        """A browser asks for dozens of files to show one page: they are no calls."""
        return self.of_page and self.protocols is None and self.method in {"GET", "HEAD"}

    @property
    def repeatable(self) -> bool:
        """Safe by RFC 9110, section 9.2.1: it may be sent to a second instance."""
        return self.method in {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class HttpHead:
    """How the instance began its answer to an HttpRequest.

    `protocol` is set where a WebSocket begins: the one that was chosen, or nothing.
    """

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    protocol: str | None = None

    @property
    def is_error(self) -> bool:
        return self.status >= 400


@dataclass(frozen=True, slots=True)
class SocketClose:
    """How an instance ended a WebSocket (RFC 6455, section 7.4)."""

    code: int
    reason: str


class Content(msgspec.Struct, frozen=True):
    """What is asked: of a request over HTTP that is its body and its query."""

    operation: Operation
    data: Payload | None = None
    config: Payload | None = None
    config_id: int | None = None
    method_name: str | None = None
    params: Mapping[str, Payload] = msgspec.field(default_factory=dict[str, Payload])


class Caller(msgspec.Struct, frozen=True):
    """How the caller identified itself, unresolved: an API key or a session id, and the key that pays instead, if any.

    `client_ip` is the address that the edge vouches for. `max_price_nano`: what the call may cost at most.
    """

    credential: str | None
    credential_is_session: bool
    billing_key: str | None
    client_ip: str
    selected_account: int | None = None
    max_price_nano: int | None = None


class Call(msgspec.Struct, frozen=True):
    """`account` and `model` are path references: an id when all digits, else a name.

    `headers` are those that go to the instance (Z-* and MLP-* of the wire protocol). `timeout_seconds` None means the
    model's own. `http` is a request that is passed on to an instance as it is, with `data` as its body.
    `trace_parent` (W3C Trace Context) is set where the transport leaves no span current. With `keep_parts`
    a unary answer that came in parts brings all of them.
    """

    request_id: str
    account: str
    model: str
    operation: Operation
    caller: Caller
    data: Payload | None = None
    config: Payload | None = None
    config_id: int | None = None
    method_name: str | None = None
    params: Mapping[str, Payload] = msgspec.field(default_factory=dict[str, Payload])
    headers: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    timeout_seconds: float | None = None
    trace_parent: str | None = None
    keep_parts: bool = False
    http: HttpRequest | None = None

    @property
    def loads_page(self) -> bool:
        return self.http is not None and self.http.loads_page

    @property
    def is_socket(self) -> bool:
        return self.http is not None and self.http.protocols is not None


class Answer(msgspec.Struct, frozen=True):
    """One message of an instance. The last one of an answer has `last` set; a unary answer is just that one.

    `before` are the parts that came before, where the call asked for them. `http` is with the first part of an answer
    that is passed on as it is; its payloads are pieces of the body, or messages of a WebSocket. `closed` is with
    the last one of those.
    """

    payload: Payload
    headers: Mapping[str, str]
    first: bool = True
    last: bool = True
    partial: bool = False
    before: tuple[Payload, ...] = ()
    http: HttpHead | None = None
    closed: SocketClose | None = None
