"""Begins to move all services of one resource group to others, or says what would move."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, Protocol

from mlpcore.features.group_administration.plan import Plan, Target, plan
from mlpcore.features.group_administration.repository import GroupAdministrationRepository, InvalidPatternError
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.tasks.service import NewTask, Tasks
from mlpcore.operations import Entity, EntityName, OperationType
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.names import parse_ref
from mlplace_kit.violations import broken
from mlplace_runtime.service import AccountDirectory

MIGRATE: Final = "models.migrate-group"


class OwnedGroups(Protocol):
    async def owned(self, *, account_id: int, name: str) -> ResourceGroup | None: ...


@dataclass(frozen=True, slots=True)
class MigrationWish:
    """`source` and `target`: a name of the platform's account, or `account/name`. Either `target` or `pattern` is set.

    `pattern`: a regular expression for whole names of groups. `most_accounts`: how many accounts move at most.
    """

    source: str
    target: str | None
    pattern: str | None
    most_accounts: int | None


class GroupMigration:
    def __init__(
        self,
        repository: GroupAdministrationRepository,
        groups: OwnedGroups,
        accounts: AccountDirectory,
        tasks: Tasks,
    ) -> None:
        self._repository = repository
        self._groups = groups
        self._accounts = accounts
        self._tasks = tasks

    async def preview(self, wanted: MigrationWish) -> str:
        """Says what would move, and changes nothing. Raises ValidationFailed."""
        source, targets, found = await self._plan(wanted)
        return f"dry run: {_text(source, targets, found)}; dryRun=false does it"

    async def begin(self, wanted: MigrationWish, *, account_id: int) -> str:
        """Begins the task that moves the services; it belongs to this account. Raises ValidationFailed."""
        source, targets, found = await self._plan(wanted)
        if found.moves:
            await self._tasks.begin(
                NewTask(
                    kind=MIGRATE,
                    operation=OperationType.SET_CORRECT_GROUP,
                    entity=Entity(
                        EntityName.RESOURCE_GROUP,
                        account_id,
                        source.name,
                        group_owner_id=source.account_id,
                        group_name=source.name,
                    ),
                    data={
                        "source": source.group_id,
                        "left": [list(move) for move in found.moves],
                        "of": len(found.moves),
                    },
                    slot=f"migrate-group:{source.group_id}",
                )
            )
        return _text(source, targets, found)

    async def _plan(self, wanted: MigrationWish) -> tuple[ResourceGroup, dict[int, Target], Plan]:
        source = await self._group("sourceGroup", wanted.source)
        targets = [
            Target(group.group_id, group.name, group.account_id, group.access == "PUBLIC")
            for group in await self._targets(wanted)
            if group.group_id != source.group_id
        ]
        if not targets:
            raise ValidationFailed({_field(wanted): broken("other_group")})
        users = defaultdict[int, set[int]](set)
        for group_id, user in await self._repository.accounts_in([target.group_id for target in targets]):
            users[group_id].add(user)
        services = await self._repository.services_in(source.group_id)
        found = plan(services, targets, users, most_accounts=wanted.most_accounts)
        return source, {target.group_id: target for target in targets}, found

    async def _targets(self, wanted: MigrationWish) -> list[ResourceGroup]:
        if (wanted.target is None) == (wanted.pattern is None):
            raise ValidationFailed({"targetGroup": broken("either", other="targetGroupRegex")})
        if wanted.pattern is None:
            return [await self._group("targetGroup", wanted.target or "")]
        try:
            return list(await self._repository.matching(wanted.pattern))
        except InvalidPatternError as error:
            raise ValidationFailed({"targetGroupRegex": broken("regular_expression")}) from error

    async def _group(self, field: str, text: str) -> ResourceGroup:
        owner, slash, name = text.rpartition("/")
        account_id: int | None = SYSTEM_ACCOUNT
        if slash:
            entry = await self._accounts.find(parse_ref(owner))
            account_id = entry.account_id if entry else None
        group = None if account_id is None else await self._groups.owned(account_id=account_id, name=name)
        if group is None:
            raise ValidationFailed({field: broken("not_found")})
        return group


def _field(wanted: MigrationWish) -> str:
    return "targetGroup" if wanted.pattern is None else "targetGroupRegex"


def _text(source: ResourceGroup, targets: dict[int, Target], found: Plan) -> str:
    parts = [
        f"{_counted(services, 'service')} of {_counted(accounts, 'account')} to {targets[group_id].name}"
        for group_id, (accounts, services) in sorted(found.groups.items())
    ]
    moved = f"from {source.name} move {'; '.join(parts)}" if parts else f"nothing moves from {source.name}"
    return f"{moved}; {_counted(len(found.stay), 'account')} stay" if found.stay else moved


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
