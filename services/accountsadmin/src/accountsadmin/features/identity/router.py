from fastapi import APIRouter, Depends

from accountsadmin.unit_of_work import WorkDep
from mlplace_contracts.internal.identity import AccountEntry, ResolveSecret, SessionIdentity
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.policy import Internal

router = APIRouter(prefix="/internal/accountsadmin", include_in_schema=False, dependencies=[Depends(Internal())])


@router.post("/sessions/resolve")
async def resolve_session(body: ResolveSecret, work: WorkDep) -> SessionIdentity | None:
    return await work.identity.resolve(secret=body.secret)


@router.get("/accounts/{ref}")
async def find_account(ref: str, work: WorkDep) -> AccountEntry | None:
    return await work.accounts.find(ref=parse_ref(ref))
