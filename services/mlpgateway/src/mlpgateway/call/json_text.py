"""Whether a text is JSON: one decision for what callers send and what instances answer."""

from collections.abc import Iterable
from typing import Final

import msgspec

from mlplace_kit.json_text import Text, lacks_only_half_a_pair

FEW_VALUES: Final = 10_000
"""So many are built as objects within a few milliseconds."""
MOST_VALUES: Final = 2_000_000
"""Of a text that is read without building them: several passes take 10 ms each."""
_any: Final = msgspec.json.Decoder(msgspec.Raw)
_MARKS: Final = (b",", b"[", b"{")
_PIECE: Final = 64 * 1024


def values_in(text: bytes | memoryview, most: int, *, marks: Iterable[bytes] = _MARKS) -> int:
    """Returns a bound on the number of values in JSON text; one above `most` if there may be more. Builds none.

    `marks`: the characters that are counted, also within texts.
    """
    view, found = memoryview(text), 0
    for at in range(0, len(view), _PIECE):
        found += sum(map(bytes(view[at : at + _PIECE]).count, marks))
        if found > most:
            return most + 1
    return found


def has_few_values(text: str, most: int = FEW_VALUES) -> bool:
    """Returns whether JSON text has about that many values at most. Builds none of them."""
    return len(text) <= most or values_in(text.encode(), most) <= most


def is_json(text: Text) -> bool:
    """Returns whether the text is one JSON value without half a surrogate pair. Its bytes must be UTF-8."""
    try:
        _any.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return False
    return True


def is_json_of_instance(text: Text) -> bool:
    """Like `is_json`, but half a surrogate pair is allowed, as RFC 8259 allows it: instances answer cut texts so.

    It is not allowed in a long text: see `lacks_only_half_a_pair`.
    """
    return is_json(text) or lacks_only_half_a_pair(text, is_json)
