"""JSON texts of megabytes on their way through: they stay the UTF-8 that came, and lie in memory once."""

import codecs
from typing import Final, TypeVar

from msgspec.structs import replace

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.transport import InstanceRequest

LARGE_BYTES: Final = 1024 * 1024
_PIECE: Final = 256 * 1024

_Asked = TypeVar("_Asked", Call, InstanceRequest)


class Source:
    """Where the text lies. Whoever copies it into something that lives as long says so: one of the two is enough."""

    __slots__ = ("view",)

    def __init__(self, text: bytes | bytearray | memoryview) -> None:
        self.view = memoryview(text)

    def moved(self, whole: bytes, start: int) -> None:
        """The text is within `whole` as well, from there on. What it was in before is let go of."""
        self.view = memoryview(whole)[start : start + len(self.view)]


class LargeText(Payload, frozen=True, kw_only=True):
    """A text from LARGE_BYTES on. Who hands it on takes the source: `json` is made out of it each time it is read."""

    source: Source

    @property
    def json(self) -> str:  # type: ignore[override]  # what is frozen is only read, and this reads the same
        return str(self.source.view, "utf-8")


def payload_of(text: str, data_type: str | None = None) -> Payload:
    """A large one as bytes: whoever sends it on needs those, and a string may take four times the room."""
    if len(text) < LARGE_BYTES:
        return Payload(json=text, data_type=data_type)
    return LargeText(source=Source(text.encode()), data_type=data_type)


def in_full(asked: _Asked) -> _Asked:
    """With its text as a string, for those who write down objects whole."""
    return replace(asked, data=_plain(asked.data)) if type(asked.data) is LargeText else asked


def said_in_full(answer: Answer) -> Answer:
    """The same for an answer."""
    if not any(type(payload) is LargeText for payload in (answer.payload, *answer.before)):
        return answer
    return replace(answer, payload=_plain(answer.payload), before=tuple(map(_plain, answer.before)))


def _plain(payload: Payload) -> Payload:
    return Payload(json=payload.json, data_type=payload.data_type) if type(payload) is LargeText else payload


def is_utf8(text: bytes | bytearray | memoryview) -> bool:
    """Piece by piece: there is no second copy of it, however large it is."""
    decode, view = codecs.getincrementaldecoder("utf-8")().decode, memoryview(text)
    try:
        for at in range(0, len(view), _PIECE):
            decode(view[at : at + _PIECE], at + _PIECE >= len(view))
    except UnicodeDecodeError:
        return False
    return True
