"""The languages of the interface and of mails."""

from typing import Literal, TypeAlias

Language: TypeAlias = Literal["RU", "EN"]
DEFAULT_LANGUAGE: Language = "RU"


def language_of(text: str) -> Language:
    """Parses a stored language; anything unknown becomes the default."""
    return "EN" if text == "EN" else DEFAULT_LANGUAGE
