"""Valid names of accounts and models, and how a path refers to them."""

import re
from dataclasses import dataclass

ACCOUNT_NAME = re.compile(r"(?!\d+$)[a-z0-9-]{3,32}")
MODEL_NAME = re.compile(r"(?!\d+$)(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class PathRef:
    """A reference to an account or a model in a path: an id when all characters are digits, else a short name."""

    id: int | None
    name: str | None


def parse_ref(text: str) -> PathRef:
    """Reads `{account}` or `{model}` of a path. A number beyond 63 bits gives id 0, which never exists."""
    if text.isascii() and text.isdigit():
        number = int(text) if len(text) <= 19 else 0
        return PathRef(id=number if number < 2**63 else 0, name=None)
    return PathRef(id=None, name=text)


def is_account_name(text: str) -> bool:
    """Returns whether the text has 3 to 32 characters of [a-z0-9-] and not only digits (digits are an id)."""
    return ACCOUNT_NAME.fullmatch(text) is not None


def is_model_name(text: str) -> bool:
    """Returns whether the text has 1 to 64 characters of [A-Za-z0-9._-], not only digits, and is not `.` or `..`."""
    return MODEL_NAME.fullmatch(text) is not None
