from decimal import Decimal
from typing import Annotated

from pydantic import PlainSerializer, WithJsonSchema

from mlplace_kit.wire import Output

Amount = Annotated[
    Decimal, PlainSerializer(float, return_type=float, when_used="json"), WithJsonSchema({"type": "number"})
]


class CallPointData(Output):
    """Calls of one period. `timestamp`: its start in milliseconds since 1970. `calls` are answered and failed ones.

    The latencies are right within 20 %, and null without calls that an instance answered. `amount` is the price of the
    calls before free units, in the currency of the installation.
    """

    timestamp: int
    calls: int
    failed_calls: int
    median_latency_ms: int | None
    p95_latency_ms: int | None
    amount: Amount


class CallSeriesData(Output):
    """Points at equal distances of `stepSec`; the last one is the current period. `total`: all points together."""

    step_sec: int
    points: list[CallPointData]
    total: CallPointData


class ModelRecentCallsData(Output):
    """Calls of one model in the last 24 hours. `callsPerHour`: 24 numbers, the current hour last."""

    model_id: int
    calls: int
    failed_calls: int
    amount: Amount
    calls_per_hour: list[int]
