"""What can become of a prediction."""

from enum import StrEnum
from typing import Final


class Status(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"


OPEN: Final = frozenset({Status.QUEUED, Status.RUNNING})


class WebhookEvent(StrEnum):
    STARTED = "prediction.started"
    COMPLETED = "prediction.completed"
