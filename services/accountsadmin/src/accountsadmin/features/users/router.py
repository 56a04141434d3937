from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from accountsadmin.features.users.dependencies import PeopleDep, UserAdministrationDep, UsersDep
from accountsadmin.features.users.schemas import PermissionsInput, UserPage
from accountsadmin.paths import Id
from accountsadmin.signed_in import SignedInUser
from accountsadmin.unit_of_work import ResourcesDep
from mlplace_contracts.internal.people import PersonAnswer, PersonQuestion
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Internal, Superadmin

internal_router = APIRouter(
    prefix="/internal/accountsadmin", include_in_schema=False, dependencies=[Depends(Internal())]
)
router = APIRouter(prefix="/api/accountsadmin/admin/users", tags=["users"], dependencies=[Depends(Superadmin())])


@router.get("")
async def list_users(
    users: UsersDep, page: PageDep, name: Annotated[StoredText, Query(max_length=254)] = ""
) -> UserPage:
    return await users.search(name=name, request=page)


@router.post("/{userId}/permissions", response_class=Response)
async def set_user_permissions(
    user: SignedInUser,
    administration: UserAdministrationDep,
    resources: ResourcesDep,
    response: Response,
    user_id: Annotated[Id, Path(alias="userId")],
    body: PermissionsInput,
) -> None:
    fresh = await administration.grant(
        user_id=user_id, permissions=body.permissions, internal=body.internal, actor=user.user_id
    )
    if fresh:
        resources.cookies.keep_session(response, fresh)


@router.post("/{userId}/block", response_class=Response)
async def block_user(
    user: SignedInUser, administration: UserAdministrationDep, user_id: Annotated[Id, Path(alias="userId")]
) -> None:
    await administration.block(user_id=user_id, actor=user.user_id)


@router.post("/{userId}/unblock", response_class=Response)
async def unblock_user(
    user: SignedInUser, administration: UserAdministrationDep, user_id: Annotated[Id, Path(alias="userId")]
) -> None:
    await administration.unblock(user_id=user_id, actor=user.user_id)


@internal_router.post("/people/resolve")
async def resolve_person(body: PersonQuestion, people: PeopleDep) -> PersonAnswer:
    return await people.resolve(user_id=body.user_id)
