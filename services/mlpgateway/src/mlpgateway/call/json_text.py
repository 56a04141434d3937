"""Whether a text is JSON: one decision for what callers send and what instances answer."""

import re
from typing import Final

import msgspec

Text = str | bytes | bytearray | memoryview
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

_any: Final = msgspec.json.Decoder(msgspec.Raw)
_LONE: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""Half of a surrogate pair. An escaped backslash before `ud800` matches, too, which changes no decision here."""
_CHARACTER: Final = rb"\\u0041"
_MOST_LONE: Final = 1000


def is_json(text: Text) -> bool:
    """Returns whether the text is one JSON value without half a surrogate pair. Its bytes must be UTF-8."""
    try:
        _any.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return False
    return True


def has_lone_surrogate(text: Text) -> bool:
    """Returns whether the text has the escape of half a surrogate pair without its other half.

    No UTF-8 can hold such a value.
    """
    return _LONE.search(_bytes(text)) is not None


def is_json_of_instance(text: Text) -> bool:
    """Like `is_json`, but half a surrogate pair is allowed, as RFC 8259 allows it: instances answer cut texts so."""
    if is_json(text):
        return True
    whole, found = _LONE.subn(_CHARACTER, _bytes(text), _MOST_LONE)
    return bool(found) and is_json(whole)


def _bytes(text: Text) -> bytes | bytearray | memoryview:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
