"""What an account sees of its storage."""

from typing import Annotated

from pydantic import Field

from mlpgateway.features.storage.counting import Kind
from mlplace_kit.wire import Input, Output

Hours = Annotated[int, Field(ge=1, le=87_600)]


class StorageKindData(Output):
    """`bytes` with those of the rows and indexes beside the contents: 1024 of each item."""

    kind: Kind
    bytes: int
    items: int


class StorageHoursData(Output):
    """Null: archived requests are kept until newer ones take their place."""

    prediction_hours: float
    answer_hours: float
    archive_hours: float | None


class StorageSettingData(Input):
    """Hours after which things are deleted. Null, or more than the platform's own figure: as long as the platform says.

    They count for what is stored already, too.
    """

    prediction_hours: Hours | None
    answer_hours: Hours | None
    archive_hours: Hours | None


class StorageData(Output):
    """`kept` is what counts: of the account's `setting` and the platform's own figures the smaller."""

    limit_bytes: int
    used_bytes: int
    kinds: list[StorageKindData]
    setting: StorageSettingData
    kept: StorageHoursData
