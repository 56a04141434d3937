"""Storage as an account sees it."""

from typing import Annotated

from pydantic import Field

from mlpgateway.features.storage.counting import Kind
from mlplace_kit.wire import Input, Output

Hours = Annotated[int, Field(ge=1, le=87_600)]


class StorageKindData(Output):
    """`bytes` includes 1024 for each item's row and index entries."""

    kind: Kind
    bytes: int
    items: int


class StorageHoursData(Output):
    """`archiveHours` null: archived requests are kept until newer ones replace them."""

    prediction_hours: float
    answer_hours: float
    archive_hours: float | None


class StorageSettingData(Input):
    """Hours after which data is deleted; null: as long as the platform keeps it, which is also the most.

    They apply to data that is stored already, too.
    """

    prediction_hours: Hours | None
    answer_hours: Hours | None
    archive_hours: Hours | None


class StorageData(Output):
    """`kept` is the time that applies: the smaller of the account's `setting` and the platform's default."""

    limit_bytes: int
    used_bytes: int
    kinds: list[StorageKindData]
    setting: StorageSettingData
    kept: StorageHoursData
