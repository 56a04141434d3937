"""A call of a model, whichever way it came in, and its answer. Payloads stay opaque."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Operation(StrEnum):
    PREDICT = "predict"
    EXT = "ext"


@dataclass(frozen=True, slots=True)
class Payload:
    """Either JSON text or bytes, as the wire's PayloadProto. `data_type` is informational."""

    json: str | None = None
    protobuf: bytes | None = None
    data_type: str | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """How the caller identified itself, unresolved: an API key or a session id, and the key that pays instead, if any.

    `client_ip` is the address that the edge vouches for.
    """

    credential: str | None
    credential_is_session: bool
    billing_key: str | None
    client_ip: str
    selected_account: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """`account` and `model` are path references: an id when all digits, else a name.

    `headers` are those that go to the instance (Z-* and MLP-* of the wire protocol). `timeout_seconds` None means the
    model's own. `trace_parent` (W3C Trace Context) is set where the transport leaves no span current. With `keep_parts`
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
    params: Mapping[str, Payload] = field(default_factory=dict[str, Payload])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    timeout_seconds: float | None = None
    trace_parent: str | None = None
    keep_parts: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One message of an instance. The last one of an answer has `last` set; a unary answer is just that one.

    `before` are the parts that came before, where the call asked for them.
    """

    payload: Payload
    headers: Mapping[str, str]
    first: bool = True
    last: bool = True
    partial: bool = False
    before: tuple[Payload, ...] = ()
