"""What all services decide alike about the text of JSON (RFC 8259), whichever parser reads it."""

import json
import re
from collections.abc import Callable
from itertools import accumulate
from typing import Final

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Left out before a text (section 8.1)."""
HALF_A_PAIR: Final = "it holds half a surrogate pair, which is no character"
NOT_JSON: Final = "not JSON"
EMPTY: Final = "it is empty, not JSON"
MOST_DEPTH: Final = 900
"""So deep may lists and objects be nested at least; a parser refuses them somewhat above that."""
TOO_DEEP: Final = f"it is nested more than {MOST_DEPTH} deep"
MOST_READ_AGAIN: Final = 256 * 1024
"""Bytes of a text that a parser has refused and that may be read again: they take up to 10 ms."""
MOST_LOCATED: Final = 64 * 1024
"""Bytes of such a text in which the place of the fault is looked up: a parser that builds the values reads them."""
Text = str | bytes | bytearray | memoryview
IsJson = Callable[[bytes], bool]
"""Whether a parser that takes no half surrogate pairs takes the text."""

_HIGH: Final = rb"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_PAIR: Final = re.compile(_HIGH + _LOW)
# Goes on to the end of a text whose last string has none, so that none of its quotes is tried again.
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_OTHERS: Final = bytes(set(range(256)) - set(_STEPS))
_SPACE: Final = " \t\r\n"
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def why_not_json(text: Text, is_json: IsJson) -> str:
    """Returns why the parser has refused the text. For the depth the first MOST_READ_AGAIN bytes count."""
    if is_too_deep(text):
        return TOO_DEEP
    return HALF_A_PAIR if lacks_only_half_a_pair(text, is_json) else _where_not_json(text)


def _where_not_json(text: Text) -> str:
    """Names the line and column, both from 1, at which a text of at most MOST_LOCATED bytes stops being JSON."""
    if len(text) > MOST_LOCATED:
        return NOT_JSON
    try:
        given = text if isinstance(text, str) else bytes(text).decode()
        if not given.strip(_SPACE):
            return EMPTY
        json.loads(given)
    except json.JSONDecodeError as error:
        return f"{NOT_JSON} at line {error.lineno}, column {error.colno}"
    except (ValueError, RecursionError):  # not UTF-8, or a number too long to convert
        return NOT_JSON
    return NOT_JSON  # the standard library takes more than JSON, such as NaN


def is_too_deep(text: Text) -> bool:
    """Returns whether lists and objects are nested more than MOST_DEPTH deep within the first MOST_READ_AGAIN bytes.

    The rest of the text need not be JSON: parsers stop there.
    """
    piece = text[:MOST_READ_AGAIN]
    given = piece.encode(errors="replace") if isinstance(piece, str) else bytes(piece)
    if given.count(b"[") + given.count(b"{") <= MOST_DEPTH:
        return False
    steps = map(_STEPS.__getitem__, _STRING.sub(b"", given).translate(None, _OTHERS))
    return any(depth > MOST_DEPTH for depth in accumulate(steps))


def lacks_only_half_a_pair(text: Text, is_json: IsJson) -> bool:
    """Returns whether the text, which the parser has refused, is JSON but for half a surrogate pair (section 8.2).

    False for a text longer than MOST_READ_AGAIN, since it would hold up other work. Builds no values.
    """
    if len(text) > MOST_READ_AGAIN:
        return False
    try:
        given = text.encode() if isinstance(text, str) else bytes(text)
        given.decode()
    except UnicodeError:
        return False
    # Only the validity counts, so other characters stand for escapes. An escaped backslash begins none.
    whole = _PAIR.sub(b"_", given.replace(rb"\\", b"_"))
    mended = _HALF.sub(b"_", whole)
    return len(mended) < len(whole) and is_json(mended)
