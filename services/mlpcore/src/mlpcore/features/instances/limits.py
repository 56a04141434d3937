from collections.abc import Collection, Mapping
from dataclasses import replace

from mlpcore.features.accounts.service import AccountService
from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.instances.errors import InstanceLimitExceeded, ResourceLimitExceeded
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.account_room import AccountRoom, Used
from mlpcore.features.placement.allocations import Allocations
from mlpcore.features.placement.needs import needs_of
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.quantities import bytes_of, milli_cpu_of

_MIB = 2**20
LimitExceeded = InstanceLimitExceeded | ResourceLimitExceeded


class InstanceLimits:
    """Limits of instances per account. A lock of the account's row makes concurrent requests count one by one."""

    def __init__(self, accounts: AccountService, instances: InstanceRepository, allocations: Allocations) -> None:
        self._accounts = accounts
        self._instances = instances
        self._allocations = allocations

    async def lock(self, account_id: int) -> None:
        """Locks the account's limits until the transaction ends."""
        await self._accounts.lock_platform(account_id=account_id)

    async def demand(self, model: Model, group: ResourceGroup | None, count: int) -> None:
        """Like `exceeded`, but raises what that returns."""
        if (refusal := await self.exceeded(model, group, count)) is not None:
            raise refusal

    async def exceeded(self, model: Model, group: ResourceGroup | None, count: int) -> LimitExceeded | None:
        """Locks the limits and returns the first that `count` more exceed.

        `group`: where they run. Without one, and in a group of the account's own, resources do not count.
        """
        platform = await self._accounts.lock_platform(account_id=model.account_id)
        derived = model.training_model_id is not None
        limit = platform.derived_model_instance_limit if derived else platform.base_model_instance_limit
        running = await self._instances.active_count(account_id=model.account_id, derived=derived)
        if running + count > limit:
            name = "derivedModelInstanceLimit" if derived else "baseModelInstanceLimit"
            return InstanceLimitExceeded(name=name, limit=str(limit), running=str(running))
        if group is None or group.account_id == model.account_id:
            return None
        room = (await self.rooms([model.account_id], group.account_id))[model.account_id]
        exceeded = room.exceeded(needs_of(model), count, derived=derived)
        return None if exceeded is None else ResourceLimitExceeded(**exceeded.texts())

    async def exceed_alone(self, model: Model, group: ResourceGroup, count: int) -> bool:
        """Whether `count` instances would exceed a limit also if the account had no others."""
        platform = await self._accounts.lock_platform(account_id=model.account_id)
        alone = AccountRoom(_limits(platform), Used(), foreign=group.account_id != model.account_id)
        derived = model.training_model_id is not None
        return alone.exceeded(needs_of(model), count, derived=derived) is not None

    async def prepare(self, account_ids: Collection[int]) -> None:
        """Creates the limits of accounts that have none yet."""
        await self._accounts.platforms(account_ids)

    async def hold_free(self, account_ids: Collection[int]) -> Collection[int]:
        """Locks the limits of these accounts until the transaction ends, except those that somebody else has locked.

        Returns the accounts whose limits it has locked. Waits for nothing.
        """
        return (await self._accounts.lock_free_platforms(account_ids)).keys()

    async def read(self, account_id: int) -> tuple[Used, Used]:
        """Returns the limits of the account and what is used of them, waiting instances included. Locks nothing."""
        platform = await self._accounts.ensure_platform(account_id=account_id)
        counts = {d: await self._instances.active_count(account_id=account_id, derived=d) for d in (False, True)}
        used = (await self._allocations.used_by([account_id])).get(account_id, Used())
        return _limits(platform), replace(used, base=counts[False], derived=counts[True])

    async def rooms(
        self,
        account_ids: Collection[int],
        group_owner: int,
        *,
        beside: Collection[int] | None = None,
        later: bool = False,
    ) -> Mapping[int, AccountRoom]:
        """Returns what each of the accounts has left, for groups of that owner.

        It stays true if the caller holds the limits. Instances that wait for a server do not count; with `beside` all
        others than these do. `later`: when those that are leaving or moving have ended.
        """
        departing = await self._instances.departing(account_ids) if later else ()
        used = await self._allocations.used_by(account_ids, but=departing)
        placed = await self._instances.placed_counts(account_ids, but=beside)
        return {
            number: AccountRoom(
                _limits(row),
                replace(
                    used.get(number, Used()), base=placed.get((number, False), 0), derived=placed.get((number, True), 0)
                ),
                foreign=number != group_owner,
            )
            for number, row in (await self._accounts.platforms(account_ids)).items()
        }


def _limits(platform: PlatformAccount) -> Used:
    return Used(
        base=platform.base_model_instance_limit,
        derived=platform.derived_model_instance_limit,
        milli_cpu=milli_cpu_of(platform.cpu_limit),
        ram_mb=bytes_of(platform.memory_limit) // _MIB,
        disk_mb=bytes_of(platform.ephemeral_disk_limit) // _MIB,
        gpu_instances=platform.gpu_model_instance_limit,
    )
