from fastapi import APIRouter, Depends

from accountsadmin.features.bootstrap.service import Bootstrap
from accountsadmin.unit_of_work import ResourcesDep
from mlplace_contracts.internal.identity import EnsuredUser, EnsureUser, ReplacedPassword, ReplacePassword
from mlplace_runtime.web.policy import Internal

router = APIRouter(prefix="/internal/accountsadmin", include_in_schema=False)


@router.post("/bootstrap", dependencies=[Depends(Internal())])
async def ensure_user(body: EnsureUser, resources: ResourcesDep) -> EnsuredUser:
    bootstrap = Bootstrap(open_work=resources.open_work, passwords=resources.passwords)
    return await bootstrap.ensure_user(wanted=body)


@router.post("/bootstrap/password", dependencies=[Depends(Internal())])
async def replace_password(body: ReplacePassword, resources: ResourcesDep) -> ReplacedPassword:
    bootstrap = Bootstrap(open_work=resources.open_work, passwords=resources.passwords)
    return ReplacedPassword(replaced=await bootstrap.replace_password(wanted=body))
