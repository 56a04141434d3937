"""Metrics on the wire. Units and meanings: docs/metrics.md."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from mlplace_kit.wire import Input, Output

Id = Annotated[int, Field(ge=1, lt=2**63)]


class Measurement(Output):
    """`ts`: the start of the step, in milliseconds since 1970."""

    ts: int
    v: float


class RequestType(StrEnum):
    FIT = "FIT"
    PREDICT = "PREDICT"


class RequestDetailsData(Input):
    model_account_id: Id
    model_id: Id
    caller_account_id: Id
    date: date


class RequestMetricsData(Input):
    request_details_data: RequestDetailsData
    request_type_data: RequestType
    is_success: bool
    count: Annotated[int, Field(ge=0, lt=2**31)]


class ModelMetricsData(Output):
    """`failPercentage`: the failed part of both, from 0 to 100; 0 without requests."""

    model_id: int
    total_success: int
    total_fail: int
    fail_percentage: float


class OverallMetricsData(Output):
    """Sums over the services, and each service with requests."""

    total_success_count: int
    total_fail_count: int
    total_fail_percentage: float
    model_metrics: list[ModelMetricsData]
