"""Reads the query of an address."""

from collections.abc import Collection
from typing import Final
from urllib.parse import parse_qsl

from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken, two_values

_KEEPS_BYTES: Final = "surrogateescape"


def read_query(query: bytes, known: Collection[str]) -> dict[str, str]:
    """Returns the known fields that are there; others have no effect.

    Raises ValidationFailed for a known field that has two values, or whose bytes are not UTF-8.
    """
    found: dict[str, str] = {}
    text = query.decode(errors=_KEEPS_BYTES)
    for name, value in parse_qsl(text, keep_blank_values=True, errors=_KEEPS_BYTES):
        if name not in known:
            continue
        if found.setdefault(name, value) != value:
            raise ValidationFailed({name: two_values()})
        if not _is_unicode(value):
            raise ValidationFailed({name: broken("invalid", message="must be UTF-8")})
    return found


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
