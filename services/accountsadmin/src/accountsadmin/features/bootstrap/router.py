from fastapi import APIRouter, Depends

from accountsadmin.features.bootstrap.service import Bootstrap
from accountsadmin.unit_of_work import ResourcesDep
from mlplace_contracts.internal.identity import EnsuredUser, EnsureUser
from mlplace_runtime.web.policy import Internal

router = APIRouter(prefix="/internal/accountsadmin", include_in_schema=False)


@router.post("/bootstrap", dependencies=[Depends(Internal())])
async def ensure_user(body: EnsureUser, resources: ResourcesDep) -> EnsuredUser:
    bootstrap = Bootstrap(open_work=resources.open_work, passwords=resources.passwords)
    return await bootstrap.ensure_user(wanted=body)
