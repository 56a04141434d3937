from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query, Response

from mlpcore.features.accounts.change_log import Author
from mlpcore.features.accounts.dependencies import AccountServiceDep
from mlpcore.features.accounts.schemas import (
    AccessByIp,
    AccountFeatureData,
    AccountFeatureUpdate,
    AccountInfoData,
    AccountLimitsUpdate,
    AccountUpdateData,
    PagedAccountChanges,
)
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.names import parse_ref
from mlplace_kit.reasons import Reason
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, AccountPath, InSelectedAccount, Member, Public, Superadmin

router = APIRouter(prefix="/api/mlpcore", tags=["account-endpoint"])
_SUPERADMIN = Depends(Superadmin())
admin_router = APIRouter(prefix="/api/mlpcore/admin", tags=["admin-endpoint"], dependencies=[_SUPERADMIN])
AdminDep = Annotated[Access, _SUPERADMIN]


@router.get("/account")
async def ensure_account(
    access: Annotated[Access, Depends(InSelectedAccount(KeyPermission.READ, narrows=True))], service: AccountServiceDep
) -> AccountInfoData:
    return await service.ensure(account_id=access.account.account_id, account_name=access.account.account_name)


@router.post("/account")
async def update_account_data(
    body: AccountUpdateData,
    access: Annotated[Access, Depends(InSelectedAccount(KeyPermission.WRITE))],
    service: AccountServiceDep,
) -> AccountInfoData:
    account = access.account
    return await service.update(account_id=account.account_id, account_name=account.account_name, data=body)


@router.get("/account/{account}")
async def ensure_account_with_id(
    access: Annotated[Access, Depends(Member(KeyPermission.READ, narrows=True))], service: AccountServiceDep
) -> AccountInfoData:
    return await service.ensure(account_id=access.account.account_id, account_name=access.account.account_name)


@router.get("/account/{account}/publicName", dependencies=[Depends(Public())])
async def get_account_public_name(account: AccountPath, service: AccountServiceDep) -> str:
    return await service.public_name(ref=parse_ref(account))


@router.post("/account/{account}/activity", response_class=Response)
async def update_account_activity(
    access: Annotated[Access, Depends(Member(KeyPermission.PREDICT, narrows=True))], service: AccountServiceDep
) -> Response:
    await service.touch(account_id=access.account.account_id)
    return Response()


@admin_router.get("/accounts")
async def get_accounts(
    service: AccountServiceDep,
    name: Annotated[StoredText | None, Query(max_length=128)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 20,
    skip: Annotated[int, Query(ge=0, lt=2**31)] = 0,
) -> list[AccountInfoData]:
    return await service.search(name=name, limit=limit, skip=skip)


@admin_router.get("/account/{account}")
async def get_account(account: AccountPath, service: AccountServiceDep) -> AccountInfoData:
    return await service.read(ref=parse_ref(account))


@admin_router.get("/account/{account}/features")
async def get_account_features(account: AccountPath, service: AccountServiceDep) -> AccountFeatureData:
    return await service.features(ref=parse_ref(account))


@admin_router.post("/account/{account}/features", response_class=Response)
async def update_features(
    account: AccountPath, body: AccountFeatureUpdate, access: AdminDep, service: AccountServiceDep
) -> Response:
    features = {entry.name: entry.enabled for entry in body.features}
    author = _author(access, body.reason)
    await service.set_features(ref=parse_ref(account), features=features, author=author)
    return Response()


@admin_router.post("/account/{account}/limits")
async def update_limits(
    account: AccountPath, body: AccountLimitsUpdate, access: AdminDep, service: AccountServiceDep
) -> AccountInfoData:
    author = _author(access, body.reason)
    return await service.set_limits(ref=parse_ref(account), limits=body.limits(), author=author)


@admin_router.get("/account/{account}/changes")
async def get_account_changes(account: AccountPath, page: PageDep, service: AccountServiceDep) -> PagedAccountChanges:
    """Returns who changed the account's limits, features and networks, and why.

    Sorted by id; the newest first by default.
    """
    return await service.changes(ref=parse_ref(account), page=page)


@admin_router.post("/account/{account}/whiteList", response_class=Response)
async def update_white_list(
    account: AccountPath,
    body: Annotated[list[StoredText], Body()],
    access: AdminDep,
    service: AccountServiceDep,
    reason: Annotated[Reason | None, Query()] = None,
) -> Response:
    """Sets the networks (CIDR) and addresses from which the account's calls are accepted. An empty list accepts all.

    `reason`: why they change, for the administration's records.
    """
    await service.set_networks(ref=parse_ref(account), networks=body, author=_author(access, reason))
    return Response()


@admin_router.get("/account/{account}/access-by-ip")
async def get_access_by_ip(
    account: AccountPath,
    service: AccountServiceDep,
    address: Annotated[StoredText, Query(alias="ipAddress", max_length=64)],
) -> AccessByIp:
    return await service.access_by_ip(ref=parse_ref(account), address=address)


def _author(access: Access, reason: str | None) -> Author:
    return Author(access.principal.user_id, access.principal.login, reason)
