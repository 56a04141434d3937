"""Paths in containers at which something is mounted."""

import re
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError

_PIECE = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}", re.ASCII)
_OF_SYSTEM: Final = frozenset({"proc", "sys", "dev"})
"""Folders that the engine fills itself."""


def _check(text: str) -> str:
    if not text.startswith("/") or not all(_PIECE.fullmatch(piece) for piece in pieces_of(text)):
        raise PydanticCustomError(
            "mount_path", "must be an absolute path of names with letters, digits, ., _ and -, other than /, . and .."
        )
    return "/" + "/".join(pieces_of(text))


MountPath = Annotated[str, StringConstraints(max_length=512), AfterValidator(_check)]


def pieces_of(path: str) -> list[str]:
    return path.strip("/").split("/")


def is_of_system(path: str) -> bool:
    return pieces_of(path)[0] in _OF_SYSTEM


def overlapping(paths: Sequence[str]) -> set[int]:
    """Returns the positions of paths that equal an earlier one, lie inside it or around it."""
    found: set[int] = set()
    seen: list[list[str]] = []
    for position, path in enumerate(paths):
        own = pieces_of(path)
        if any(own[: len(other)] == other or other[: len(own)] == own for other in seen):
            found.add(position)
        seen.append(own)
    return found
