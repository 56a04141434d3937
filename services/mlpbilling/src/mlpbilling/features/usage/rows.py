import uuid
from dataclasses import dataclass

from mlplace_contracts.events import UsageRecorded


@dataclass(frozen=True, slots=True)
class UsageRow:
    """A usage with what was charged for it."""

    usage: UsageRecorded
    free_units: int
    charged_nano: int
    fee_nano: int
    transaction_id: uuid.UUID | None
