from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from accountsadmin.cookies import NamedAccountDep
from accountsadmin.features.selection.dependencies import SelectionDep
from accountsadmin.features.selection.schemas import (
    AllowedAccount,
    CurrentSession,
    SelectAccountInput,
    SignedInPerson,
    UserData,
)
from accountsadmin.origin import OriginDep
from accountsadmin.paths import Id
from accountsadmin.signed_in import SignedInUser, user_of
from accountsadmin.unit_of_work import ResourcesDep
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, Public

router = APIRouter(prefix="/api/accountsadmin/c", tags=["account selection"])


@router.get(
    "/authorization/check-authorized",
    response_model=UserData,
    responses={401: {"description": "Nobody is signed in; the body is empty", "model": None}},
)
async def check_authorized(
    access: Annotated[Access, Depends(Public())], selection: SelectionDep, origin: OriginDep, named: NamedAccountDep
) -> UserData | Response:
    user = user_of(access.principal)
    if user is None:
        return Response(status_code=401, headers={"WWW-Authenticate": "Bearer"})
    return await selection.authorized(user=user, named=named, host=origin.host)


@router.get("/authorization/session")
async def get_session(
    access: Annotated[Access, Depends(Public())], selection: SelectionDep, origin: OriginDep, named: NamedAccountDep
) -> CurrentSession:
    """Returns what check-authorized does, but a visitor is no error: browsers write each one into their console."""
    user = user_of(access.principal)
    return CurrentSession(user=user and await selection.authorized(user=user, named=named, host=origin.host))


@router.get("/users/current")
async def get_signed_in_person(user: SignedInUser) -> SignedInPerson:
    return SignedInPerson(user_id=user.user_id, login=user.login)


@router.get("/users/{userId}/allowed-accounts")
async def list_allowed_accounts(
    user: SignedInUser,
    selection: SelectionDep,
    origin: OriginDep,
    user_id: Annotated[Id, Path(alias="userId")],
    product: Annotated[StoredText | None, Query(max_length=64)] = None,
) -> list[AllowedAccount]:
    user.may_read_about(user_id)
    return await selection.allowed(user_id=user_id, host=origin.host, product=product)


@router.post("/authorization/select-account", response_class=Response)
async def select_account(
    user: SignedInUser,
    selection: SelectionDep,
    origin: OriginDep,
    resources: ResourcesDep,
    response: Response,
    body: SelectAccountInput,
) -> None:
    await selection.require_selectable(user=user, account_id=body.account_id, host=origin.host)
    resources.cookies.keep_account(response, body.account_id)
