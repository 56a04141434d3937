"""Datasets on the wire, and which names they may have."""

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from mlpcore.features.datasets.formats.types import DATASET_TYPES
from mlplace_kit.wire import Input, Output

_MOST_NAME: Final = 128
# Control characters, separators of paths, and marks that change the direction of text or cannot be seen.
_FORBIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f/\\\\\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_CLIMBING: Final = re.compile(r"\.\.|%(?:2e|2f|5c|00)", re.IGNORECASE)


def is_file_name(text: str) -> bool:
    """Says whether the text is safe as the name of a file, on this platform and where people save it."""
    named = 0 < len(text) <= _MOST_NAME and text == text.strip() and text != "."
    return named and not _FORBIDDEN.search(text) and not _CLIMBING.search(text)


def _check_name(text: str) -> str:
    if not is_file_name(text):
        raise PydanticCustomError("file_name", "use 1 to 128 visible characters without /, \\ and ..")
    return text


def _check_type(text: str) -> str:
    if text not in DATASET_TYPES:
        raise PydanticCustomError("one_of", "must be one of {allowed}", {"allowed": ", ".join(DATASET_TYPES)})
    return text


DatasetName = Annotated[str, StringConstraints(max_length=_MOST_NAME), AfterValidator(_check_name)]
Description = Annotated[str, StringConstraints(max_length=4096)]
DatasetType = Annotated[str, StringConstraints(max_length=64), AfterValidator(_check_type)]
AccessMode = Literal["private", "public", "restricted"]
Cells = Annotated[list[str], Field(max_length=100)]


class DatasetPK(Input):
    account_id: int
    dataset_id: int


class CreateOrUpdateDatasetInfoData(Input):
    """`id`, when sent, must be the dataset's own. A missing `dataType` or `accessMode` keeps what the dataset has."""

    id: DatasetPK | None = None
    name: DatasetName
    description: Description | None = None
    data_type: DatasetType | None = None
    access_mode: AccessMode | None = None


class DeprecatedDatasetInfoWithContentData(Input):
    name: DatasetName
    description: Description | None = None
    data_type: DatasetType | None = None
    content: str | None = None


class DatasetWarningData(Output):
    """`code` is empty, no_rows, no_lines, empty_values, formulas, same_label or unusual_document."""

    code: str
    args: dict[str, str]


class DatasetInfoData(Output):
    """`warning` is the English text of `warnings`, which an earlier release has not stored.

    `size` is in bytes. `rows` is None unless the content has lines or is a table, whose `columns` are named. `version`
    rises with each new content. `allowedTypes`: the types in which the content can be downloaded. `contentAllowed`:
    whether the caller may read the content.
    """

    id: DatasetPK
    name: str
    dataset_account_name: str | None
    description: str | None
    data_type: str
    access_mode: AccessMode
    warning: str | None
    warnings: list[DatasetWarningData]
    size: int
    sha256: str | None
    rows: int | None
    columns: list[str] | None
    version: int
    allowed_types: list[str]
    content_allowed: bool
    created_at: int
    updated_at: int


class DatasetRowsData(Output):
    """A page of rows, from row `first`, which counts from 0. `total`: all rows of the content."""

    version: int
    columns: list[str]
    first: int
    total: int
    rows: list[list[str]]


class RowChangeData(Input):
    """`values` null deletes the row."""

    row: Annotated[int, Field(ge=0, lt=2**53)]
    values: Cells | None


class DatasetRowsChangeData(Input):
    """Rows count from 0 in the content of `version`, whatever else is changed. `added` come last."""

    version: int
    changes: Annotated[tuple[RowChangeData, ...], Field(max_length=1000)] = ()
    added: Annotated[tuple[Cells, ...], Field(max_length=1000)] = ()


class DatasetStorageData(Output):
    """What the account stores, its bucket included, and its storageLimit, in bytes; the number of its datasets.

    `datasetLimitBytes`: what one content may have.
    """

    limit_bytes: int
    used_bytes: int
    datasets: int
    dataset_limit_bytes: int
