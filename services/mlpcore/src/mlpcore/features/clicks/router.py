from datetime import date
from typing import Annotated

from fastapi import APIRouter, Body, Cookie, Depends, Query, Request, Response

from mlpcore.features.clicks.repository import ClickRepository
from mlpcore.features.clicks.schemas import ClickHistoryData, Clicks
from mlpcore.features.clicks.service import ClickService
from mlpcore.features.models.dependencies import OwnedModelsDep
from mlpcore.paths import ModelPath
from mlpcore.state import StateDep
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Access, Member, Public

_TAG = "click-history-endpoint"
router = APIRouter(prefix="/api/mlpcore", tags=[_TAG])
account_router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=[_TAG])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Start = Annotated[date | None, Query(alias="startDate")]
End = Annotated[date | None, Query(alias="endDate")]


def click_service(session: SessionDep, state: StateDep) -> ClickService:
    return ClickService(ClickRepository(session), state.hasher, state.clock, enabled=state.settings.save_clicks_enabled)


ServiceDep = Annotated[ClickService, Depends(click_service)]


@router.post("/clicks", response_class=Response)
async def save_clicks(
    request: Request,
    body: Annotated[Clicks, Body()],
    access: Annotated[Access, Depends(Public())],
    service: ServiceDep,
    visitor_id: Annotated[StoredText | None, Cookie(alias="visitorId", max_length=128)] = None,
) -> Response:
    address = request.client.host if request.client else ""
    await service.save(body, principal=access.principal, visitor_id=visitor_id, address=address)
    return Response()


@account_router.get("/clicks")
async def get_account_clicks(
    access: Reader, service: ServiceDep, start_date: Start = None, end_date: End = None
) -> list[ClickHistoryData]:
    return await service.of_account(account_id=access.account.account_id, start=start_date, end=end_date)


@account_router.get("/model/{model}/clicks")
async def get_model_clicks(
    model: ModelPath,
    access: Reader,
    models: OwnedModelsDep,
    service: ServiceDep,
    start_date: Start = None,
    end_date: End = None,
) -> list[ClickHistoryData]:
    found = await models.get(access, model)
    return await service.of_model(account_id=found.account_id, model_id=found.model_id, start=start_date, end=end_date)
