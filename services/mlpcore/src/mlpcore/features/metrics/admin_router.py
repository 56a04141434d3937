from datetime import date
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query, Response

from mlpcore.features.metrics.dependencies import RequestMetricsDep
from mlpcore.features.metrics.schemas import ModelMetricsData, OverallMetricsData, RequestMetricsData, RequestType
from mlpcore.paths import ModelPath
from mlplace_kit.names import parse_ref
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import AccountPath, Superadmin

router = APIRouter(
    prefix="/api/mlpcore/admin/request-metrics", tags=["admin-endpoint"], dependencies=[Depends(Superadmin())]
)
Start = Annotated[date | None, Query(alias="startDate", description="first day (UTC); default: 30 days ago")]
End = Annotated[date | None, Query(alias="endDate", description="last day (UTC); default: today")]


@router.get("")
async def get_metrics(
    metrics: RequestMetricsDep,
    account: Annotated[StoredText | None, Query(max_length=64, description="the account of the services")] = None,
    start: Start = None,
    end: End = None,
    from_date: Annotated[date | None, Query(alias="fromDate", description="older name of startDate")] = None,
    type_: Annotated[RequestType | None, Query(alias="type")] = None,
) -> OverallMetricsData:
    ref = None if account is None else parse_ref(account)
    return await metrics.overall(account=ref, since=start or from_date, until=end, kind=type_)


@router.get("/account/{account}/model/{model}")
async def get_model_metrics(
    account: AccountPath,
    model: ModelPath,
    metrics: RequestMetricsDep,
    start: Start = None,
    end: End = None,
    type_: Annotated[RequestType | None, Query(alias="type")] = None,
) -> ModelMetricsData:
    return await metrics.of_model(
        account=parse_ref(account), model=parse_ref(model), since=start, until=end, kind=type_
    )


@router.post("/save", response_class=Response)
async def save_metrics(
    body: Annotated[list[RequestMetricsData], Body(max_length=10_000)], metrics: RequestMetricsDep
) -> Response:
    """Adds requests that were counted outside of this platform."""
    await metrics.save(body)
    return Response()
