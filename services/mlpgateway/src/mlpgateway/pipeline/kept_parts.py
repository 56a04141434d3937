"""The parts of an answer before its last one, for calls that get one answer of a model that sends several."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.chat_chunks import is_chunk
from mlpgateway.call.context import size_of
from mlpgateway.call.error_bodies import is_error
from mlpgateway.errors.calls import BrokenAnswer
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES

_PART_BYTES: Final = 128
"""Memory overhead of a kept part in bytes, without its text."""


class _FirstHeaders:
    """The headers of the first part, which the answer gets: HTTP has an answer's headers before its parts."""

    __slots__ = ("_headers",)

    def __init__(self) -> None:
        self._headers: Mapping[str, str] | None = None

    def _note(self, part: Answer) -> None:
        if self._headers is None:
            self._headers = part.headers

    def _with_headers(self, last: Answer) -> Answer:
        if not self._headers:
            return last
        again = {name.lower() for name in last.headers}
        first = {name: value for name, value in self._headers.items() if name.lower() not in again}
        return replace(last, headers={**first, **last.headers})


class KeptParts(_FirstHeaders):
    __slots__ = ("_parts", "_size")

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[Payload] = []
        self._size = 0

    def add(self, part: Answer) -> None:
        """Raises BrokenAnswer when the parts are larger than one message may be."""
        self._note(part)
        self.keep(part.payload)

    def keep(self, payload: Payload) -> None:
        """Raises BrokenAnswer like `add`."""
        self._size += size_of(payload) + _PART_BYTES
        if self._size > MAX_MESSAGE_BYTES:
            raise BrokenAnswer(reason=f"its parts are larger than {MAX_MESSAGE_BYTES} bytes")
        self._parts.append(payload)

    def with_last(self, last: Answer) -> Answer:
        last = self._with_headers(last)
        return replace(last, before=tuple(self._parts)) if self._parts else last


class KeptChunks(_FirstHeaders):
    """For calls that join parts from the first on that is a chunk of a conversation in OpenAI's format.

    Other parts may be larger together than one message: some vendors repeat in each part what they have said before.
    Of those it keeps the first that is an error, and the last with content.
    """

    __slots__ = ("_are_chunks", "_content", "_has_error", "_parts")

    def __init__(self) -> None:
        super().__init__()
        self._parts = KeptParts()
        self._are_chunks = False
        self._has_error = False
        self._content: Payload | None = None

    def add(self, part: Answer) -> None:
        """Raises BrokenAnswer when the parts that it keeps are larger than one message may be."""
        self._note(part)
        payload = part.payload
        if payload.is_empty:
            return
        self._are_chunks = self._are_chunks or is_chunk(payload)
        is_error_of_others = not self._are_chunks and not self._has_error and is_error(payload)
        self._has_error = self._has_error or is_error_of_others
        self._content = None if self._are_chunks else payload
        if self._are_chunks or is_error_of_others:
            self._parts.keep(payload)

    def with_last(self, last: Answer) -> Answer:
        if self._content is not None and last.payload.is_empty:
            last = replace(last, payload=self._content)
        return self._parts.with_last(self._with_headers(last))


class LastContent(_FirstHeaders):
    """For calls that need only the last part: some models end with a part that has no content."""

    __slots__ = ("_content",)

    def __init__(self) -> None:
        super().__init__()
        self._content: Payload | None = None

    def add(self, part: Answer) -> None:
        self._note(part)
        if not part.payload.is_empty:
            self._content = part.payload

    def with_last(self, last: Answer) -> Answer:
        """Raises BrokenAnswer when no part has content."""
        last = self._with_headers(last)
        if not (last.partial and last.payload.is_empty):
            return last
        if self._content is None:
            raise BrokenAnswer(reason="it is empty")
        return replace(last, payload=self._content)


def kept_parts_of(call: Call) -> KeptParts | KeptChunks | LastContent:
    if not call.keep_parts:
        return LastContent()
    return KeptChunks() if call.only_chunks else KeptParts()
