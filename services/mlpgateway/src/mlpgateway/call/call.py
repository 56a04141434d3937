"""A call of a model, independent of its transport, and its answer. Payloads are opaque.

Classes that every call creates are msgspec structs: a frozen dataclass sets each field with a function call.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import msgspec


class Operation(StrEnum):
    PREDICT = "predict"
    EXT = "ext"


class Payload(msgspec.Struct, frozen=True):
    """JSON text or bytes, as in PayloadProto of the wire protocol. `data_type` is informational, but for speech:
    `text/*`, `image/*` and XML are no audio, whoever declares them.
    """

    json: str | None = None
    protobuf: bytes | None = None
    data_type: str | None = None

    @property
    def is_empty(self) -> bool:
        return not self.protobuf and not self.json


class InputPart(Payload, frozen=True):
    """One part of a request with streamed input. `last`: its sender marked it as the last."""

    last: bool = False


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """An HTTP request that is passed on to an instance unchanged.

    `target` is the path at the instance and the query, both still percent-encoded. `headers` holds the headers that
    may be passed on. `length` is the body's length in bytes, None when it is unknown. `protocols` is set when the
    request opens a WebSocket: the subprotocols that the caller offers, possibly none. `of_page`: the service's page
    sent the request, or the request loads that page.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    length: int | None = None
    protocols: tuple[str, ...] | None = None
    of_page: bool = False

    @property
    def loads_page(self) -> bool:
        """True for GET and HEAD requests of a page. They do not count as calls: one page loads dozens of files."""
        return self.of_page and self.protocols is None and self.method in {"GET", "HEAD"}

    @property
    def repeatable(self) -> bool:
        """True for methods that are safe by RFC 9110, section 9.2.1. Such a request may go to a second instance."""
        return self.method in {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class HttpHead:
    """Status and headers of an instance's answer to an HttpRequest.

    `protocol` is the subprotocol that the instance chose for a WebSocket, None when it chose none.
    """

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    protocol: str | None = None

    @property
    def is_error(self) -> bool:
        return self.status >= 400


@dataclass(frozen=True, slots=True)
class SocketClose:
    """The close code and reason with which an instance ended a WebSocket (RFC 6455, section 7.4)."""

    code: int
    reason: str


class Content(msgspec.Struct, frozen=True):
    """The parsed content of a request. For a request over HTTP it comes from the body and the query."""

    operation: Operation
    data: Payload | None = None
    config: Payload | None = None
    config_id: int | None = None
    method_name: str | None = None
    params: Mapping[str, Payload] = msgspec.field(default_factory=dict[str, Payload])


class Caller(msgspec.Struct, frozen=True):
    """The caller's credentials, not yet looked up: an API key or a session id, and optionally the key that pays.

    `client_ip` is the caller's address as the trusted proxies report it. `max_price_nano` is the most that the call
    may cost, in billionths of a currency unit; None: unlimited.
    """

    credential: str | None
    credential_is_session: bool
    billing_key: str | None
    client_ip: str
    selected_account: int | None = None
    max_price_nano: int | None = None


class Call(msgspec.Struct, frozen=True):
    """One call. `account` and `model` are path references: an id when all digits, else a name.

    `headers` are the ones that the instance receives (Z-* and MLP-* of the wire protocol). `timeout_seconds` None
    means the model's own timeout. `http` is a request that is passed on to an instance unchanged, with `data` as its
    body. `trace_parent` (W3C Trace Context) is set when the transport has no current span. With `keep_parts` the
    answer to a unary call includes all its partial answers; with `only_chunks` too, it includes those from the first on
    that is a chunk of a conversation in OpenAI's format, and of others the first that is an error.
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
    only_chunks: bool = False
    http: HttpRequest | None = None

    @property
    def loads_page(self) -> bool:
        return self.http is not None and self.http.loads_page

    @property
    def is_socket(self) -> bool:
        return self.http is not None and self.http.protocols is not None


class Answer(msgspec.Struct, frozen=True):
    """One message of an instance. `last` marks the last message of an answer; a unary answer is that message alone.

    `before` holds the earlier parts when the call has `keep_parts`. `http` comes with the first part of an answer to
    an HttpRequest; the payloads of such an answer are pieces of the body, or WebSocket messages. `closed` comes with
    the last message of a WebSocket.
    """

    payload: Payload
    headers: Mapping[str, str]
    first: bool = True
    last: bool = True
    partial: bool = False
    before: tuple[Payload, ...] = ()
    http: HttpHead | None = None
    closed: SocketClose | None = None
