"""The loop that compares allocations with instances and with what servers report.

In this release an allocation begins and ends with the stay of its instance on a server. Processes of the previous
release know no allocations; what they leave behind is mended here.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from mlpcore.features.instances.dependencies import lifecycle_of
from mlpcore.features.instances.scheduling.allocated_repository import AllocatedRepository
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.allocations import Allocations, Grant
from mlpcore.features.placement.needs import needs_of
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

log = structlog.get_logger(__name__)
_SECONDS = 10.0
GONE_AFTER = timedelta(seconds=30)
"""A driver that does not answer for a moment moves no instance."""


class Comparison:
    def __init__(self, state: CoreState) -> None:
        self._state = state
        self._missed: dict[tuple[int, str], datetime] = {}

    async def turn(self) -> None:
        await self._allocations()
        await self._gpus()

    async def _allocations(self) -> None:
        async with self._state.database.transaction() as session:
            repository = AllocatedRepository(session)
            allocations = Allocations(session)
            orphans = await repository.lock_orphans()
            await allocations.release(orphans)
            found = await repository.lock_unallocated()
            # The server may be too small for them: then nothing more is placed there.
            await allocations.add([_grant(instance, model) for instance, model in found])
        if orphans:
            log.warning("orphaned_allocations_deleted", instance_ids=list(orphans))
        if found:
            log.warning("missing_allocations_added", instance_ids=[instance.instance_id for instance, _ in found])

    async def _gpus(self) -> None:
        async with self._state.database.transaction() as session:
            repository = AllocatedRepository(session)
            now = self._state.clock.now()
            gone = self._gone(await repository.vanished_gpus(since=now - SILENT_AFTER), now)
            if not gone:
                return
            lifecycle = lifecycle_of(session, self._state.clock)
            for instance in await repository.lock_on_gpus(gone):
                await lifecycle.leave_server(
                    instance, reason="GpuGone", message="The server no longer has the instance's GPU"
                )

    def _gone(self, missed: Sequence[tuple[int, str]], now: datetime) -> Sequence[tuple[int, str]]:
        """Returns those that have been missed at each turn for some time."""
        self._missed = {gpu: self._missed.get(gpu, now) for gpu in missed}
        return [gpu for gpu, since in self._missed.items() if now - since >= GONE_AFTER]


def _grant(instance: Instance, model: Model) -> Grant:
    needs = needs_of(model.resource_limits)
    return Grant(instance.instance_id, instance.account_id, instance.server_id or 0, needs)


def comparison_loop(state: CoreState) -> Loop:
    comparison = Comparison(state)
    return Loop("allocations", lambda: every(_SECONDS, comparison.turn))
