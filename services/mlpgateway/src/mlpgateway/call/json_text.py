"""Whether a text is JSON: one decision for what callers send and what instances answer."""

from typing import Final

import msgspec

from mlplace_kit.json_text import Text, lacks_only_half_a_pair

MOST_VALUES: Final = 500_000
"""Of an answer that is read as a whole: 0.1 s and 50 MB."""
_any: Final = msgspec.json.Decoder(msgspec.Raw)


def has_few_values(text: str, most: int = MOST_VALUES) -> bool:
    """Returns whether a text of JSON has at most about that many values.

    Builds none of them: a value may take thirty times the memory of its text.
    """
    return len(text) <= most or sum(map(text.count, ",[{")) <= most


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
