"""The messages between the gate and its reading process: a length, then a pickle of plain values.

Both ends run the same code of one installation, and nobody else has the socket.
"""

import pickle
import socket
import struct
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from mlpgateway.call.call import Content, Operation, Payload
from mlpgateway.call.large_json import LARGE_BYTES, LargeText, TextBuffer
from mlpgateway.entry.large_bodies.memory import place_within
from mlplace_kit.errors import DomainError, MalformedRequest, ValidationFailed
from mlplace_kit.violations import Violation

_LENGTH: Final = struct.Struct("!Q")
_RECEIVED: Final = 256 * 1024


class Question(NamedTuple):
    """Asks to read the mapped body of `size` bytes with the body reader named `reads`."""

    reads: str
    query: bytes
    size: int


class Within(NamedTuple):
    """The position of a text within the body."""

    start: int
    size: int
    data_type: str | None


class Read(NamedTuple):
    """A Content whose large texts are positions within the body."""

    operation: str
    data: Within | Payload | None
    config: Within | Payload | None
    config_id: int | None
    method_name: str | None
    params: dict[str, Payload]


class Refused(NamedTuple):
    """The `violations` of a ValidationFailed, or the `reason` of a MalformedRequest."""

    fields: dict[str, Violation] | None
    reason: str

    @property
    def error(self) -> DomainError:
        return ValidationFailed(self.fields) if self.fields is not None else MalformedRequest(reason=self.reason)


class Fields(NamedTuple):
    """The fields of a JSON object, each as its JSON text: large ones are positions within the body."""

    values: dict[str, bytes | Within]


Finding = Read | Fields | Refused


def refused(error: DomainError) -> Refused:
    """Returns the error as a message. Raises it if it is not one that body readers raise."""
    match error:
        case ValidationFailed():
            return Refused(error.violations, "")
        case MalformedRequest():
            return Refused(None, error.details.get("reason", ""))
        case _:
            raise error


def without_texts(content: Content, body: memoryview) -> Read:
    return Read(
        content.operation.value,
        _placed(content.data, body),
        _placed(content.config, body),
        content.config_id,
        content.method_name,
        dict(content.params),
    )


def with_texts(read: Read, body: memoryview) -> Content:
    return Content(
        Operation(read.operation),
        _text(read.data, body),
        _text(read.config, body),
        read.config_id,
        read.method_name,
        read.params,
    )


def fields_without_texts(fields: Mapping[str, msgspec.Raw], body: memoryview) -> Fields:
    return Fields({name: _field(memoryview(value), body) for name, value in fields.items()})


def fields_with_texts(fields: Fields, body: memoryview) -> dict[str, msgspec.Raw]:
    return {
        name: msgspec.Raw(body[value.start : value.start + value.size] if isinstance(value, Within) else value)
        for name, value in fields.values.items()
    }


def _field(view: memoryview, body: memoryview) -> bytes | Within:
    start = place_within(view, body) if len(view) >= LARGE_BYTES else None
    return bytes(view) if start is None else Within(start, len(view), None)


def _placed(payload: Payload | None, body: memoryview) -> Within | Payload | None:
    if type(payload) is not LargeText:
        return payload
    view = payload.source.view
    start = place_within(view, body)
    if start is None:  # decoded from a JSON string, so not part of the body
        return Payload(protobuf=bytes(view), data_type=payload.data_type)
    return Within(start, len(view), payload.data_type)


def _text(part: Within | Payload | None, body: memoryview) -> Payload | None:
    if isinstance(part, Within):
        return LargeText(source=TextBuffer(body[part.start : part.start + part.size]), data_type=part.data_type)
    if part is not None and part.protobuf is not None:
        return LargeText(source=TextBuffer(part.protobuf), data_type=part.data_type)
    return part


def send(connection: socket.socket, message: object) -> None:
    """Raises OSError."""
    data = pickle.dumps(message, protocol=5)
    connection.sendall(_LENGTH.pack(len(data)))
    connection.sendall(data)


def receive(connection: socket.socket) -> Any:
    """Raises OSError, EOFError when the other end is gone."""
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size))
    return pickle.loads(_exactly(connection, length))  # noqa: S301  the other end is this installation's own process


def _exactly(connection: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view, at = memoryview(data), 0
    while at < size:
        got = connection.recv_into(view[at : at + _RECEIVED])
        if not got:
            raise EOFError
        at += got
    return data
