from typing import Annotated

from fastapi import APIRouter, Depends

from mlpgateway.caching.states import CacheStateData
from mlpgateway.paths import ModelPath
from mlpgateway.state import StateDep
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpgateway/account/{account}/model/{model}", tags=["cache"])
Owner = Annotated[Access, Depends(Member(KeyPermission.READ))]


@router.get("/cache")
async def get_cache_state(model: ModelPath, access: Owner, state: StateDep) -> CacheStateData:
    return state.caches.of(access, model)
