"""Routes for the storage that an account uses, and for how long it keeps data."""

from typing import Annotated

from fastapi import APIRouter, Depends

from mlpgateway.features.storage.schemas import StorageData, StorageSettingData
from mlpgateway.features.storage.service import Storage
from mlpgateway.state import provided
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpgateway/account/{account}", tags=["storage"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Owner = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


StorageDep = Annotated[Storage, Depends(provided(Storage))]


@router.get("/storage")
async def get_storage(access: Reader, storage: StorageDep) -> StorageData:
    """Returns the storage of predictions, answers stored for repeated calls, and archived requests."""
    return await storage.read(access.account.account_id)


@router.put("/storage")
async def set_storage_hours(data: StorageSettingData, access: Owner, storage: StorageDep) -> StorageData:
    """Sets how long data is kept. Older data is deleted within minutes."""
    return await storage.change(access.account.account_id, data)
