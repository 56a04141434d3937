"""What all services decide alike about the text of JSON (RFC 8259), whichever parser reads it."""

import re
from typing import Final

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Left out before a text (section 8.1)."""
HALF_A_PAIR: Final = "it holds half a surrogate pair, which is no character"
MOST_SEARCHED: Final = 256 * 1024
"""Bytes of a text in which LONE_SURROGATE may be searched: that takes 20 ns a byte, twenty times as long as parsing."""
LONE_SURROGATE: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""The escape of half a surrogate pair (section 8.2). An escaped backslash before `ud800` matches, too: use it only on
text that a parser has refused.
"""


def why_not_json(text: bytes | bytearray | memoryview) -> str:
    """Returns why a parser has refused the text."""
    return HALF_A_PAIR if len(text) <= MOST_SEARCHED and LONE_SURROGATE.search(text) else "not JSON"
