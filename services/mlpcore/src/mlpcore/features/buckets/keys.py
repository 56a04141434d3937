"""Which keys objects may have, and their order."""

import re
from typing import Final

from mlpcore.features.buckets.errors import ObjectKeyInvalid

MOST_BYTES: Final = 1024
# Control characters, \ and marks that change the direction of text or cannot be seen. People save objects under their
# keys.
_FORBIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\\\\\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_LAST: Final = chr(0x10FFFF)


def checked_key(key: str) -> str:
    """Returns the key. Raises ObjectKeyInvalid."""
    if not key or len(key.encode(errors="surrogatepass")) > MOST_BYTES:
        raise ObjectKeyInvalid(reason=f"it needs 1 to {MOST_BYTES} bytes")
    if _FORBIDDEN.search(key):
        raise ObjectKeyInvalid(reason="it must not have control characters, invisible characters or \\")
    parts = key.split("/")
    if any(part in {".", ".."} for part in parts):
        raise ObjectKeyInvalid(reason="it must not have . or .. between slashes")
    if "" in parts[:-1]:
        raise ObjectKeyInvalid(reason="it must not begin with / nor have // in it")
    return key


def is_prefix(text: str) -> bool:
    """Whether keys can begin with the text."""
    return len(text.encode(errors="surrogatepass")) <= MOST_BYTES and not _FORBIDDEN.search(text)


def after_prefix(prefix: str) -> str | None:
    """Returns the first text that is greater than all texts with the prefix; None if there is none."""
    text = prefix.rstrip(_LAST)
    if not text:
        return None
    following = ord(text[-1]) + 1
    return text[:-1] + chr(0xE000 if following == 0xD800 else following)


def after_key(key: str) -> str:
    """Returns the first text that is greater than the key."""
    return key + "\x01"
