"""What accounts and models may be called, and how a path names them."""

import re
from dataclasses import dataclass

ACCOUNT_NAME = re.compile(r"(?!\d+$)[a-z0-9-]{3,32}")
MODEL_NAME = re.compile(r"(?!\d+$)(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class PathRef:
    """An account or a model as a path names it: an id when all digits, else a short name."""

    id: int | None
    name: str | None


def parse_ref(text: str) -> PathRef:
    """Read `{account}` or `{model}` of a path. A number beyond 63 bits is an id that cannot exist: id 0."""
    if text.isascii() and text.isdigit():
        number = int(text) if len(text) <= 19 else 0
        return PathRef(id=number if number < 2**63 else 0, name=None)
    return PathRef(id=None, name=text)


def is_account_name(text: str) -> bool:
    """3 to 32 characters of [a-z0-9-], not all digits (digits mean an id)."""
    return ACCOUNT_NAME.fullmatch(text) is not None


def is_model_name(text: str) -> bool:
    """1 to 64 characters of [A-Za-z0-9._-], not all digits, not `.` or `..`."""
    return MODEL_NAME.fullmatch(text) is not None
