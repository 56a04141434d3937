"""The languages of the interface and of mails."""

from typing import Literal, TypeAlias

Language: TypeAlias = Literal["RU", "EN"]
DEFAULT_LANGUAGE: Language = "RU"
