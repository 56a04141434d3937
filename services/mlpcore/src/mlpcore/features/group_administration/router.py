from typing import Annotated

from fastapi import APIRouter, Depends, Query

from mlpcore.features.group_administration.dependencies import GroupAdministrationDep, GroupMigrationDep
from mlpcore.features.group_administration.migration import MigrationWish
from mlpcore.features.group_administration.schemas import ResourceGroupsChange, ResourceGroupsData
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, Superadmin

router = APIRouter(prefix="/api/mlpcore/admin", tags=["admin-endpoint"])
Admin = Annotated[Access, Depends(Superadmin())]
GroupRef = Annotated[StoredText, Query(max_length=130, description="a group of the platform, or account/name")]


@router.get("/resource-groups")
async def get_all_resource_groups(_access: Admin, service: GroupAdministrationDep) -> ResourceGroupsData:
    return await service.all()


@router.patch("/resource-groups")
async def change_resource_groups(
    body: ResourceGroupsChange, access: Admin, service: GroupAdministrationDep
) -> ResourceGroupsData:
    """Changes the named groups, of any accounts: all of them or none. Returns all groups."""
    return await service.change(body, user_id=access.principal.user_id)


@router.post("/models/resource-group/migrate")
async def migrate_services(
    *,
    access: Admin,
    migration: GroupMigrationDep,
    source: Annotated[GroupRef, Query(alias="sourceGroup")],
    target: Annotated[GroupRef | None, Query(alias="targetGroup")] = None,
    pattern: Annotated[
        StoredText | None,
        Query(alias="targetGroupRegex", min_length=1, max_length=128, description="for whole names of groups"),
    ] = None,
    accounts_limit: Annotated[
        int | None, Query(alias="accountsLimit", ge=1, lt=2**31, description="how many accounts move at most")
    ] = None,
    dry_run: Annotated[bool, Query(alias="dryRun", description="only say what would move")] = True,
) -> str:
    """Says what would move. With `dryRun=false`, moves the services of a group, of all accounts, to another group.

    Their instances follow one by one.

    With `targetGroupRegex`, each account moves to one of the matching groups: where it has services already, else
    where the fewest accounts have some. The task SET_CORRECT_GROUP belongs to the selected account; stopping it moves
    everything back.
    """
    wanted = MigrationWish(source, target, pattern, accounts_limit)
    if dry_run:
        return await migration.preview(wanted)
    return await migration.begin(wanted, account_id=access.account.account_id)
