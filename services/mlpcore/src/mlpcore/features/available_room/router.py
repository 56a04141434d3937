from typing import Annotated

from fastapi import APIRouter, Depends

from mlpcore.features.available_room.dependencies import AvailableRoomDep
from mlpcore.features.available_room.schemas import LimitUseData, PlacementPreviewData, PlacementPreviewRequest
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["resource-group-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
ServerReader = Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.DEVELOPER))]


@router.post("/placement/preview")
async def preview_placement(
    body: PlacementPreviewRequest, access: ServerReader, room: AvailableRoomDep
) -> PlacementPreviewData:
    """Says where an instance with these needs would fit now. Reserves nothing."""
    return await room.preview(account_id=access.account.account_id, data=body)


@router.get("/limits/use", tags=["account-endpoint"])
async def get_limit_use(access: Reader, room: AvailableRoomDep) -> list[LimitUseData]:
    """Returns the limits of instances and resources with what is used. Resources count in groups of other accounts."""
    return await room.limit_use(access.account.account_id)
