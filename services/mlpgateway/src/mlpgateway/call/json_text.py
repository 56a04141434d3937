"""Whether a text is JSON: one decision for what callers send and what instances answer."""

from typing import Final

import msgspec

from mlplace_kit.json_text import LONE_SURROGATE, MOST_SEARCHED

Text = str | bytes | bytearray | memoryview
_any: Final = msgspec.json.Decoder(msgspec.Raw)
_CHARACTER: Final = rb"\\u0041"
_MOST_LONE: Final = 1000


def is_json(text: Text) -> bool:
    """Returns whether the text is one JSON value without half a surrogate pair. Its bytes must be UTF-8."""
    try:
        _any.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return False
    return True


def is_json_of_instance(text: Text) -> bool:
    """Like `is_json`, but half a surrogate pair is allowed, as RFC 8259 allows it: instances answer cut texts so.

    It is not allowed in a text above MOST_SEARCHED bytes, since the search would hold up other calls.
    """
    if is_json(text):
        return True
    if len(text) > MOST_SEARCHED:
        return False
    whole, found = LONE_SURROGATE.subn(_CHARACTER, _bytes(text), _MOST_LONE)
    return bool(found) and is_json(whole)


def _bytes(text: Text) -> bytes | bytearray | memoryview:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
