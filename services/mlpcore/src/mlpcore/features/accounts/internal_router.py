from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from mlpcore.features.accounts.dependencies import AccountServiceDep
from mlpcore.features.accounts.repository import AccountRepository
from mlpcore.features.accounts.schemas import BootstrapAccount
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Internal

router = APIRouter(
    prefix="/internal/mlpcore", tags=["internal"], dependencies=[Depends(Internal())], include_in_schema=False
)


@router.get("/accounts/{ref}")
async def find_account(ref: Annotated[str, Path(max_length=64)], session: SessionDep) -> AccountEntry | None:
    return await AccountRepository(session).entry(parse_ref(ref))


@router.post("/bootstrap/account", response_class=Response)
async def bootstrap_account(body: BootstrapAccount, service: AccountServiceDep) -> Response:
    await service.bootstrap(account_id=body.account_id, features=body.features, limits=body.limits)
    return Response()
