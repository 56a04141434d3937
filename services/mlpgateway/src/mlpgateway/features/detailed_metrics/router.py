"""Internal like `/metrics`: the edge does not route it. It names accounts and models, so it needs a token."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpgateway.features.detailed_metrics.service import DetailedMetrics
from mlpgateway.state import provided
from mlplace_runtime.telemetry.exposition import text_response
from mlplace_runtime.web.policy import Scraper

router = APIRouter(dependencies=[Depends(Scraper())], include_in_schema=False)


@router.get("/metrics/detailed")
@router.get("/internal/mlpgateway/metrics/detailed")
async def get_detailed_metrics(metrics: Annotated[DetailedMetrics, Depends(provided(DetailedMetrics))]) -> Response:
    """Returns what this gate has counted of each model, instance and account, in the text format of Prometheus."""
    return text_response(metrics.pieces())
