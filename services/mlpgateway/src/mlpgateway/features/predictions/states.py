"""The states of a prediction, and the events that webhooks report."""

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
