"""Recognises the parts of a conversation in OpenAI's format."""

from typing import Final

import msgspec

from mlpgateway.call.call import Payload
from mlpgateway.call.large_json import LargeText

_NO_OBJECT: Final = (msgspec.DecodeError, RecursionError, UnicodeError)


class _OfChunk(msgspec.Struct):
    choices: msgspec.Raw = msgspec.Raw()


_of_chunk: Final = msgspec.json.Decoder(_OfChunk)


def is_chunk(part: Payload) -> bool:
    """Returns whether a part of an answer is an object with a list of choices."""
    try:
        choices = _of_chunk.decode(part.source.view if type(part) is LargeText else part.json or "").choices
    except _NO_OBJECT:
        return False
    return bytes(memoryview(choices)[:1]) == b"["
