from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from mlpcore.callers import known_caller
from mlpcore.features.notifications.dependencies import NotificationChoicesDep, NotificationServiceDep
from mlpcore.features.notifications.schemas import (
    BroadcastNotificationRequest,
    NotificationData,
    NotificationReadRequest,
    NotificationSettingsData,
    NotificationSettingsRequest,
)
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.policy import Access, Member, Superadmin

router = APIRouter(prefix="/api/mlpcore/account/{account}/notification", tags=["notification-endpoint"])
admin_router = APIRouter(prefix="/api/mlpcore/notification", tags=["notification-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Person = Annotated[Access, Depends(Member(KeyPermission.READ, keys=False))]


@router.get("")
async def get_notifications(
    access: Reader, service: NotificationServiceDep, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> list[NotificationData]:
    """Returns the newest notifications, the newest first, without those of events that the person hides."""
    principal = access.principal
    return await service.listed(
        account_id=access.account.account_id, reader=known_caller(principal), user_id=principal.user_id, limit=limit
    )


@router.put("", response_class=Response)
async def mark_notifications_read(
    body: NotificationReadRequest, access: Reader, service: NotificationServiceDep
) -> Response:
    await service.mark_read(account_id=access.account.account_id, reader=known_caller(access.principal), ids=body.ids)
    return Response()


@router.get("/settings")
async def get_notification_settings(access: Person, choices: NotificationChoicesDep) -> NotificationSettingsData:
    """Returns which events the person sees in this account, and which are mailed to them."""
    return await choices.read(access)


@router.put("/settings")
async def update_notification_settings(
    body: NotificationSettingsRequest, access: Person, choices: NotificationChoicesDep
) -> NotificationSettingsData:
    """Chooses which events the person sees in this account, and which are mailed to them.

    What happens within ten minutes is one mail. Only notifications from now on are mailed.
    """
    return await choices.change(access, body)


@admin_router.post("/broadcast", response_class=Response, dependencies=[Depends(Superadmin())])
async def broadcast_notification(body: BroadcastNotificationRequest, service: NotificationServiceDep) -> Response:
    await service.broadcast(text=body.text_message, severity=body.severity)
    return Response()
