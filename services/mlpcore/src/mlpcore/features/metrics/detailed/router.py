"""Internal like `/metrics`: the edge does not route it. It names accounts and models, so it needs a token."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpcore.features.metrics.detailed.service import DetailedMetrics
from mlpcore.state import StateDep
from mlplace_runtime.telemetry.exposition import text_response
from mlplace_runtime.web.policy import Scraper

router = APIRouter(dependencies=[Depends(Scraper())], include_in_schema=False)


def detailed_metrics(state: StateDep) -> DetailedMetrics:
    return DetailedMetrics(state.database, state.clock)


@router.get("/metrics/detailed")
@router.get("/internal/mlpcore/metrics/detailed")
async def get_detailed_metrics(metrics: Annotated[DetailedMetrics, Depends(detailed_metrics)]) -> Response:
    """Returns what each instance and each server uses and has allocated, in the text format of Prometheus."""
    return text_response(await metrics.read())
