from datetime import datetime
from typing import Literal

from mlplace_kit.wire import Output


class HostingDetailsRow(Output):
    """`owner_id` is the account that owns what was rented."""

    date: datetime
    source_type: Literal["RESOURCE_GROUP", "QUOTA", "SERVER"]
    source_name: str
    owner_id: int
    amount_currency: float


class HostingDetails(Output):
    """`total` may exceed the items' sum by fractions: each figure is rounded down separately."""

    total: float
    items: list[HostingDetailsRow]
