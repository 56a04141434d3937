from fastapi import APIRouter, Depends

from accountsadmin.features.accounts.dependencies import AccountsDep
from accountsadmin.features.identity.dependencies import IdentityDep
from mlplace_contracts.internal.identity import AccountEntry, ResolveSecret, SessionIdentity
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.policy import Internal

router = APIRouter(prefix="/internal/accountsadmin", include_in_schema=False, dependencies=[Depends(Internal())])


@router.post("/sessions/resolve")
async def resolve_session(body: ResolveSecret, identity: IdentityDep) -> SessionIdentity | None:
    return await identity.resolve(secret=body.secret)


@router.get("/accounts/{ref}")
async def find_account(ref: str, accounts: AccountsDep) -> AccountEntry | None:
    return await accounts.find(ref=parse_ref(ref))
