"""Large JSON payloads: they stay the received UTF-8 bytes, and memory holds one copy of them."""

import codecs
from typing import Final, TypeVar

from msgspec.structs import replace

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.transport import InstanceRequest

LARGE_BYTES: Final = 1024 * 1024
_PIECE: Final = 256 * 1024

_Asked = TypeVar("_Asked", Call, InstanceRequest)


class TextBuffer:
    """The memory that holds the text. Code that copies the text into a longer-lived buffer calls `moved`."""

    __slots__ = ("view",)

    def __init__(self, text: bytes | bytearray | memoryview) -> None:
        self.view = memoryview(text)

    def moved(self, whole: bytes, start: int) -> None:
        """Points to the copy of the text in `whole` from `start` on, and releases the previous buffer."""
        self.view = memoryview(whole)[start : start + len(self.view)]


class LargeText(Payload, frozen=True, kw_only=True):
    """A text of at least LARGE_BYTES bytes. Pass on its `source`: each read of `json` builds a new string."""

    source: TextBuffer

    @property
    def json(self) -> str:  # type: ignore[override]  # what is frozen is only read, and this reads the same
        return str(self.source.view, "utf-8")

    @property
    def is_empty(self) -> bool:
        return False


def payload_of(text: str, data_type: str | None = None) -> Payload:
    """Returns the text as a payload; a large text as bytes, because a string may take four times the memory."""
    if len(text) < LARGE_BYTES:
        return Payload(json=text, data_type=data_type)
    return LargeText(source=TextBuffer(text.encode()), data_type=data_type)


def body_within(payload: Payload, most: int) -> bytes | None:
    """Returns the payload as bytes to store; None if there are more than `most`. A text that is too large is neither
    decoded nor encoded.
    """
    if type(payload) is LargeText:
        view = payload.source.view
        return bytes(view) if len(view) <= most else None
    if payload.protobuf is not None:
        return payload.protobuf if len(payload.protobuf) <= most else None
    text = payload.json or ""
    body = text.encode() if len(text) <= most else None  # a character takes a byte or more
    return body if body is not None and len(body) <= most else None


def call_with_string(asked: _Asked) -> _Asked:
    """Returns the call or request with its text as a string, for code that stores whole objects."""
    return replace(asked, data=_plain(asked.data)) if type(asked.data) is LargeText else asked


def answer_with_strings(answer: Answer) -> Answer:
    """Returns the answer with its texts as strings, for code that stores whole objects."""
    if not any(type(payload) is LargeText for payload in (answer.payload, *answer.before)):
        return answer
    return replace(answer, payload=_plain(answer.payload), before=tuple(map(_plain, answer.before)))


def _plain(payload: Payload) -> Payload:
    return Payload(json=payload.json, data_type=payload.data_type) if type(payload) is LargeText else payload


def is_utf8(text: bytes | bytearray | memoryview) -> bool:
    """Returns whether the bytes are UTF-8. Decodes piece by piece, so no second copy of the text exists."""
    decode, view = codecs.getincrementaldecoder("utf-8")().decode, memoryview(text)
    try:
        for at in range(0, len(view), _PIECE):
            decode(view[at : at + _PIECE], at + _PIECE >= len(view))
    except UnicodeDecodeError:
        return False
    return True
