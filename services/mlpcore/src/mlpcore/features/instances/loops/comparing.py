"""The loop that compares allocations with instances and with what servers report.

In this release an allocation begins and ends with the stay of its instance on a server. Processes of the previous
release know no allocations; what they leave behind is mended here. GPUs that agents report for their instances are
compared with each heartbeat, by `lifecycle/gpu_comparison.py`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from mlpcore.features.buckets.instance_repository import InstanceCredentialRepository
from mlpcore.features.instances.dependencies import lifecycle_of
from mlpcore.features.instances.scheduling.allocated_repository import AllocatedRepository, Unallocated
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.placement.allocations import Allocations, Grant
from mlpcore.features.placement.needs import needs_of
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

log = structlog.get_logger(__name__)
_SECONDS = 10.0
GONE_AFTER = timedelta(seconds=30)
"""A driver that does not answer for a moment moves no instance, nor does a lost row that a heartbeat restores."""


class Comparison:
    def __init__(self, state: CoreState) -> None:
        self._state = state
        self._missed: dict[tuple[int, str], datetime] = {}
        self._without_gpus: dict[int, datetime] = {}

    async def turn(self) -> None:
        await self._allocations()
        await self._credentials()
        await self._gpus()

    async def _allocations(self) -> None:
        async with self._state.database.transaction() as session:
            repository = AllocatedRepository(session)
            allocations = Allocations(session)
            orphans = await repository.lock_orphans()
            await allocations.release(orphans)
            found = await repository.lock_unallocated()
            with_gpus = [each for each in found if _needs_gpus(each)]
            added = [each for each in found if not _needs_gpus(each)]
            # The server may be too small for them: then nothing more is placed there.
            await allocations.add([_grant(each) for each in added])
            lost = self._lost(with_gpus, self._state.clock.now())
            lifecycle = lifecycle_of(session, self._state.clock)
            for each in lost:
                await lifecycle.leave_server(
                    each.instance, reason="AllocationLost", message="Nobody knows which GPU the instance uses"
                )
        if orphans:
            log.warning("orphaned_allocations_deleted", instance_ids=list(orphans))
        if added:
            log.warning("missing_allocations_added", instance_ids=[each.instance.instance_id for each in added])
        if lost:
            log.warning("gpu_allocations_lost", instance_ids=[each.instance.instance_id for each in lost])

    async def _credentials(self) -> None:
        """Ends what a process of the previous release has left valid: it knows no credentials of instances."""
        async with self._state.database.transaction() as session:
            stale = await AllocatedRepository(session).stale_credentials()
            if stale:
                await InstanceCredentialRepository(session).end_these(stale, at=self._state.clock.now())
                log.warning("stale_credentials_ended", count=len(stale))

    def _lost(self, found: Sequence[Unallocated], now: datetime) -> Sequence[Unallocated]:
        """Returns instances with GPUs whose agent has had time to report the GPUs, and has not.

        An allocation without GPUs would let others get the GPUs that the instance uses. A server that is silent gets no
        instances; its agent may report the GPUs when it is back.
        """
        known = self._without_gpus
        self._without_gpus = {each.instance.instance_id: known.get(each.instance.instance_id, now) for each in found}
        return [each for each in found if _is_due(each, self._without_gpus[each.instance.instance_id], now)]

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


def _needs_gpus(each: Unallocated) -> bool:
    """Whether the GPUs have to be known. One that is being removed gives its GPUs back soon."""
    return each.instance.state != InstanceState.REMOVING and each.model.gpu_count > 0


def _is_due(each: Unallocated, since: datetime, now: datetime) -> bool:
    """`since`: when the allocation was missed first. The agent must have reported at the end of the time, too."""
    heard = each.last_heartbeat_at
    return now - since >= GONE_AFTER and heard is not None and heard > since and now - heard <= SILENT_AFTER


def _grant(each: Unallocated) -> Grant:
    needs = needs_of(each.model)
    return Grant(each.instance.instance_id, each.instance.account_id, each.instance.server_id or 0, needs)


def comparison_loop(state: CoreState) -> Loop:
    comparison = Comparison(state)
    return Loop("allocations", lambda: every(_SECONDS, comparison.turn))
