from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.group_administration.migration import GroupMigration
from mlpcore.features.group_administration.repository import GroupAdministrationRepository
from mlpcore.features.group_administration.service import GroupAdministration
from mlpcore.features.resource_groups.dependencies import GroupServiceDep
from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.tasks.dependencies import tasks_of
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def group_administration(session: SessionDep, groups: GroupServiceDep) -> GroupAdministration:
    return GroupAdministration(GroupAdministrationRepository(session), ResourceGroupRepository(session), groups)


def group_migration(session: SessionDep, state: StateDep) -> GroupMigration:
    return GroupMigration(
        GroupAdministrationRepository(session),
        ResourceGroupRepository(session),
        accounts_of(session),
        tasks_of(session, state.clock),
    )


GroupAdministrationDep = Annotated[GroupAdministration, Depends(group_administration)]
GroupMigrationDep = Annotated[GroupMigration, Depends(group_migration)]
