"""The parts of an answer before its last one, for calls that get one answer of a model that sends several."""

from typing import Final

from msgspec.structs import replace

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.context import size_of
from mlpgateway.errors.calls import BrokenAnswer
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES

_PART_BYTES: Final = 128
"""Memory overhead of a kept part in bytes, without its text."""


class KeptParts:
    __slots__ = ("_parts", "_size")

    def __init__(self) -> None:
        self._parts: list[Payload] = []
        self._size = 0

    def add(self, part: Payload) -> None:
        """Raises BrokenAnswer when the parts are larger than one message may be."""
        self._size += size_of(part) + _PART_BYTES
        if self._size > MAX_MESSAGE_BYTES:
            raise BrokenAnswer(reason=f"its parts are larger than {MAX_MESSAGE_BYTES} bytes")
        self._parts.append(part)

    def with_last(self, last: Answer) -> Answer:
        return replace(last, before=tuple(self._parts)) if self._parts else last


class LastContent:
    """For calls that need only the last part: some models end with a part that has no content."""

    __slots__ = ("_content",)

    def __init__(self) -> None:
        self._content: Payload | None = None

    def add(self, part: Payload) -> None:
        if not part.is_empty:
            self._content = part

    def with_last(self, last: Answer) -> Answer:
        """Raises BrokenAnswer when no part has content."""
        if not (last.partial and last.payload.is_empty):
            return last
        if self._content is None:
            raise BrokenAnswer(reason="it is empty")
        return replace(last, payload=self._content)
