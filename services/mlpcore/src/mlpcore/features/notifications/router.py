from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from mlpcore.callers import known_caller
from mlpcore.features.notifications.dependencies import NotificationServiceDep
from mlpcore.features.notifications.schemas import (
    BroadcastNotificationRequest,
    NotificationData,
    NotificationReadRequest,
)
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.policy import Access, Member, Superadmin

router = APIRouter(prefix="/api/mlpcore/account/{account}/notification", tags=["notification-endpoint"])
admin_router = APIRouter(prefix="/api/mlpcore/notification", tags=["notification-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]


@router.get("")
async def get_notifications(
    access: Reader, service: NotificationServiceDep, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> list[NotificationData]:
    return await service.listed(
        account_id=access.account.account_id, reader=known_caller(access.principal), limit=limit
    )


@router.put("", response_class=Response)
async def mark_notifications_read(
    body: NotificationReadRequest, access: Reader, service: NotificationServiceDep
) -> Response:
    await service.mark_read(account_id=access.account.account_id, reader=known_caller(access.principal), ids=body.ids)
    return Response()


@admin_router.post("/broadcast", response_class=Response, dependencies=[Depends(Superadmin())])
async def broadcast_notification(body: BroadcastNotificationRequest, service: NotificationServiceDep) -> Response:
    await service.broadcast(text=body.text_message, severity=body.severity)
    return Response()
