from dataclasses import dataclass
from datetime import datetime

from mlpcore.features.datasets.formats.findings import in_english, read_finding
from mlpcore.features.datasets.formats.types import same_content
from mlpcore.features.datasets.schemas import DatasetInfoData, DatasetPK
from mlpcore.features.datasets.tables import Dataset
from mlplace_kit.clock import to_milliseconds


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """The columns of a dataset that are shown with another object. Lists leave out the texts that may be long."""

    dataset_id: int
    account_id: int
    name: str
    description: str | None
    data_type: str
    access_mode: str
    version: int
    size: int
    sha256: str | None
    rows: int | None
    created_at: datetime
    updated_at: datetime
    columns: list[str] | None
    warning: str | None
    warnings: list[dict[str, object]] | None


def dataset_info(
    dataset: Dataset | DatasetRow, *, account_name: str | None, own: bool, listed: bool = False
) -> DatasetInfoData:
    """`own`: the viewer may see everything. Others see no digest of a content that they may not read.

    `listed`: without columns, whose names may be long.
    """
    readable = own or dataset.access_mode == "public"
    return DatasetInfoData.model_validate(
        {
            "id": DatasetPK(account_id=dataset.account_id, dataset_id=dataset.dataset_id),
            "name": dataset.name,
            "dataset_account_name": account_name,
            "description": dataset.description,
            "data_type": dataset.data_type,
            "access_mode": dataset.access_mode,
            "warning": dataset.warning if readable else None,
            "warnings": _warnings(dataset) if readable else [],
            "size": dataset.size,
            "sha256": dataset.sha256 if readable else None,
            "rows": dataset.rows,
            "columns": dataset.columns if readable and not listed else None,
            "version": dataset.version,
            "allowed_types": same_content(dataset.data_type),
            "content_allowed": readable,
            "created_at": to_milliseconds(dataset.created_at),
            "updated_at": to_milliseconds(dataset.updated_at),
        }
    )


def _warnings(dataset: Dataset | DatasetRow) -> list[dict[str, object]]:
    """Returns none of an earlier content: the previous release replaces contents with `warning` alone."""
    stored = dataset.warnings or []
    known = [finding for each in stored if (finding := read_finding(each)) is not None]
    return stored if in_english(known) == dataset.warning else []
