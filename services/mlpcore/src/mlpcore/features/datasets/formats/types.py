"""The data types of datasets: a format and a kind of content, such as `csv/faq`."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class DataType(NamedTuple):
    format: str
    kind: str

    def __str__(self) -> str:
        return f"{self.format}/{self.kind}"


DATASET_TYPES: Final = [
    "json/any",
    "json/texts",
    "plain/texts",
    "json/texts-and-labels",
    "csv/texts-and-labels",
    "json/caila-intents",
    "json/faq",
    "csv/faq",
    "xlsx/faq",
    "json/lines",
    "json/transformer-fit",
    "json/tts-dictionary",
]
"""As `GET system-config/dataset-data-type` lists them."""
DEFAULT_TYPE: Final = "json/any"

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "texts": ("text",),
    "texts-and-labels": ("text", "label"),
    "faq": ("question", "answer"),
    "tts-dictionary": ("original", "replacement"),
}
"""Kinds of content that are tables, with the columns that each row has. Only faq may have further columns."""
LISTS: Final[Mapping[str, str]] = {
    "texts": "texts",
    "texts-and-labels": "items",
    "faq": "items",
    "tts-dictionary": "dictionary",
}
"""The field of the JSON document that lists the rows."""


def parse_type(text: str) -> DataType:
    """Takes one of DATASET_TYPES."""
    form, _, kind = text.partition("/")
    return DataType(form, kind)


def same_content(text: str) -> list[str]:
    """Returns the data types into which contents of this one can be converted, itself included."""
    kind = parse_type(text).kind
    return [each for each in DATASET_TYPES if parse_type(each).kind == kind]


def is_table(text: str) -> bool:
    return parse_type(text).kind in COLUMNS


def extension(text: str) -> str:
    """Returns the ending of a file name."""
    found = parse_type(text)
    return {"plain": "txt", "json": "jsonl" if found.kind == "lines" else "json"}.get(found.format, found.format)
