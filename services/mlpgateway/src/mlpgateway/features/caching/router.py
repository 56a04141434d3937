from typing import Annotated

from fastapi import APIRouter, Depends

from mlpgateway.features.caching.states import CacheStateData, CacheStates
from mlpgateway.paths import ModelPath
from mlpgateway.state import provided
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpgateway/account/{account}/model/{model}", tags=["cache"])
Owner = Annotated[Access, Depends(Member(KeyPermission.READ))]
CacheStatesDep = Annotated[CacheStates, Depends(provided(CacheStates))]


@router.get("/cache")
async def get_cache_state(model: ModelPath, access: Owner, states: CacheStatesDep) -> CacheStateData:
    return states.of(access, model)
