"""What all services decide alike about the text of JSON (RFC 8259), whichever parser reads it."""

import json
import re
from typing import Final, NoReturn

_HALF: Final = re.compile("[\ud800-\udfff]")
Text = str | bytes | bytearray | memoryview
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Left out before a text (section 8.1)."""
HALF_A_PAIR: Final = "it holds half a surrogate pair, which is no character"
MOST_READ_AGAIN: Final = 256 * 1024
"""Length of a text that a parser has refused and that may be read again: that takes twenty times as long as parsing."""


def why_not_json(text: Text) -> str:
    """Returns why a parser has refused the text."""
    return HALF_A_PAIR if lacks_only_half_a_pair(text) else "not JSON"


def lacks_only_half_a_pair(text: Text) -> bool:
    """Returns whether the text, which a parser has refused, is JSON but for half a surrogate pair (section 8.2).

    False for a text longer than MOST_READ_AGAIN, since it would hold up other work.
    """
    if len(text) > MOST_READ_AGAIN:
        return False
    try:
        read = text if isinstance(text, str) else str(text, "utf-8")
        # Lists in place of objects keep the values of repeated fields.
        value = json.loads(read, parse_constant=_refuse, parse_int=len, parse_float=len, object_pairs_hook=list)
        return _HALF.search(json.dumps(value, ensure_ascii=False)) is not None
    except (ValueError, RecursionError):
        return False


def _refuse(constant: str) -> NoReturn:
    """NaN and the infinities are not JSON."""
    raise ValueError(constant)
