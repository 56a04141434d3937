"""Predictions and webhooks as callers see them."""

import uuid
from datetime import datetime
from typing import Annotated, Self

import orjson
from pydantic import WithJsonSchema

from mlpgateway.features.predictions.states import Status, WebhookEvent
from mlpgateway.features.predictions.tables import Prediction, WebhookDelivery
from mlplace_kit.wire import Output


class PredictionModelData(Output):
    """Account and model as the call's path named them."""

    account: str
    model: str


class PredictionErrorData(Output):
    """The error that a call would have got. `retryAfter` is the value of its header Retry-After: seconds, or a date."""

    code: str
    message: str
    status: int
    args: dict[str, str]
    retry_after: str | None = None  # rows of the former release have none


class PredictionMetricsData(Output):
    """`queueMs` is the time until a gate began to serve the call, `predictMs` the time from then to the answer.

    Of the latter, `wakeMs` were spent waiting for an instance to start, `slotMs` for a free slot or a full batch;
    `seatMs` is its former name, which goes with the next release. `modelMs` is the model's own figure.
    `amountNano` of `currency` is the price before free units.
    """

    queue_ms: int | None
    predict_ms: int | None
    wake_ms: int | None
    slot_ms: int | None
    seat_ms: int | None
    model_ms: int | None
    instance_id: int | None
    units: int | None
    amount_nano: int | None
    currency: str | None
    attempts: int


class PredictionUrlsData(Output):
    get: str
    output: str
    events: str
    cancel: str
    deliveries: str


OutputText = Annotated[bytes | None, WithJsonSchema({"title": "Output"})]
"""The model's JSON text, of any type on the wire."""


class PredictionData(Output):
    """`output` is present when it is JSON and small; the address `urls.output` has it byte by byte."""

    id: uuid.UUID
    status: Status
    model: PredictionModelData
    request_id: str
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    output: OutputText
    output_bytes: int | None
    error: PredictionErrorData | None
    metrics: PredictionMetricsData
    urls: PredictionUrlsData

    @classmethod
    def of(cls, row: Prediction, *, most_output: int, output: bytes | None = None) -> Self:
        """`output` is the output of a row that has it in the object store."""
        usage = row.usage or {}
        base = f"/api/mlpgateway/account/{row.account_id}/predictions/{row.id}"
        return cls(
            id=row.id,
            status=Status(row.status),
            model=PredictionModelData(account=row.model_account, model=row.model_name),
            request_id=row.request_id,
            created_at=row.created_at,
            started_at=row.started_at,
            completed_at=row.completed_at,
            output=_output(row, most_output, output),
            output_bytes=row.output_size,
            error=PredictionErrorData.model_validate(row.error) if row.error else None,
            metrics=PredictionMetricsData.model_validate(
                {
                    "queueMs": _milliseconds(row.created_at, row.started_at),
                    "predictMs": _milliseconds(row.started_at, row.completed_at),
                    "wakeMs": usage.get("wake_ms"),
                    "slotMs": usage.get("slot_ms", usage.get("seat_ms")),
                    "seatMs": usage.get("slot_ms", usage.get("seat_ms")),
                    "modelMs": usage.get("model_time_ms"),
                    "instanceId": usage.get("instance_id"),
                    "units": usage.get("units"),
                    "amountNano": usage.get("amount_nano"),
                    "currency": usage.get("currency"),
                    "attempts": row.attempts,
                }
            ),
            urls=PredictionUrlsData(
                get=base,
                output=f"{base}/output",
                events=f"{base}/events",
                cancel=f"{base}/cancel",
                deliveries=f"{base}/deliveries",
            ),
        )

    def document(self) -> dict[str, object]:
        """Returns the fields for orjson. The output stays text: parsers lose digits and bound the depth of values."""
        shown: dict[str, object] = self.model_copy(update={"output": None}).model_dump(mode="json", by_alias=True)
        if self.output is not None:
            shown["output"] = orjson.Fragment(self.output)
        return shown

    def as_json(self) -> bytes:
        return orjson.dumps(self.document())


class DeletedPredictionsData(Output):
    """The number of deleted predictions. Their storage is free again within seconds."""

    deleted: int


class DeliveryData(Output):
    """`nextAt` is null when the delivery has ended; `deliveredAt` is then set if it succeeded."""

    id: uuid.UUID
    event: WebhookEvent
    url: str
    attempts: int
    next_at: datetime | None
    delivered_at: datetime | None
    last_status: int | None
    last_error: str | None
    created_at: datetime

    @classmethod
    def of(cls, row: WebhookDelivery) -> Self:
        return cls.model_validate(row)


class WebhookSecretData(Output):
    """Signs webhooks as Standard Webhooks define it: base64 after `whsec_`."""

    secret: str


def _output(row: Prediction, most: int, output: bytes | None) -> bytes | None:
    """Returns the output if it is JSON and not too large. A negative `most` reads nothing: lists do not load outputs.

    The text is valid JSON: whatever an instance answers is checked when it arrives.
    """
    if most < 0 or not row.output_is_json:
        return None
    body = row.output if output is None else output
    return body if body and len(body) <= most else None


def _milliseconds(begin: datetime | None, end: datetime | None) -> int | None:
    return None if begin is None or end is None else max(0, round((end - begin).total_seconds() * 1000))
