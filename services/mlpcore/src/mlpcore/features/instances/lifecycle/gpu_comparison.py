"""Compares the GPUs that instances were seen to use with those that are allocated.

Rows may be lost, or be written anew without GPUs. Then the GPUs count as free, while instances use them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import structlog

from mlpcore.features.instances.lifecycle.seen import SeenInstance
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.placements import OnServer
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.room_repository import HeldRoom, RoomRepository
from mlpcore.features.instances.states import LEAVING, InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.placement.allocations import Allocations, Grant
from mlpcore.features.placement.needs import Needs, needs_of
from mlpcore.features.placement.room import Gpu
from mlpcore.features.servers.tables import Server
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)
_ENDED: Final = frozenset({ReportedPhase.EXITED, ReportedPhase.REFUSED})
STAYS: Final = timedelta(seconds=30)
"""An instance is replaced at most once in this time, whatever is seen of it."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """The GPUs that an instance was seen to use. `vram_mb`: the part of the memory of each; None for all of it."""

    instance: Instance
    gpu_ids: frozenset[str]
    vram_mb: int | None

    @property
    def instance_id(self) -> int:
        return self.instance.instance_id

    def of(self, gpu: Gpu) -> int:
        """Returns the MiB of the GPU that the instance has."""
        return gpu.vram_mb if self.vram_mb is None else min(max(1, self.vram_mb), gpu.vram_mb)


class GpuComparison:
    def __init__(
        self,
        instances: InstanceRepository,
        rooms: RoomRepository,
        allocations: Allocations,
        lifecycle: Lifecycle,
        clock: Clock,
    ) -> None:
        self._instances = instances
        self._rooms = rooms
        self._allocations = allocations
        self._lifecycle = lifecycle
        self._clock = clock

    async def compare(self, server: Server, instances: Sequence[Instance], seen: Mapping[int, SeenInstance]) -> None:
        """Allocates the GPUs that an instance uses without holding them, if they are free and its model needs GPUs.

        Else the instance leaves the server: another one may hold its GPU. Does nothing while others keep the group. The
        caller has locked the server and the instances, and takes no lock that may be waited for afterwards.
        """
        claims = [claim for instance in instances if (claim := _claim(instance, seen.get(instance.instance_id)))]
        if not claims:
            return
        held = await self._rooms.held([claim.instance_id for claim in claims], server_id=server.server_id)
        wrong = [claim for claim in claims if claim.gpu_ids - _gpus_of(held.get(claim.instance_id))]
        if not wrong or not await self._allocations.hold_soon(server.group_id):
            return
        launch = await self._instances.launch_rows([claim.instance_id for claim in wrong])
        gpus = await self._gpus(server)
        for claim in wrong:
            model, _ = launch[claim.instance_id]
            room, needs = held.get(claim.instance_id), needs_of(model)
            missing = [gpus.get(gpu_id) for gpu_id in sorted(claim.gpu_ids - _gpus_of(room))]
            free = [gpu for gpu in missing if gpu is not None and gpu.free_mb >= claim.of(gpu)]
            if len(free) == len(missing) and len(claim.gpu_ids) <= needs.gpu_count:
                await self._rebuild(claim, server, needs, free, allocated=room is not None)
            else:
                await self._replace(claim.instance)

    async def _gpus(self, server: Server) -> Mapping[str, Gpu]:
        """Returns the server's GPUs by id. The caller holds the group."""
        rooms = await self._allocations.rooms(server.group_id, since=self._clock.now())
        return {gpu.gpu_id: gpu for room in rooms if room.server_id == server.server_id for gpu in room.gpus}

    async def _rebuild(
        self, claim: _Claim, server: Server, needs: Needs, gpus: Sequence[Gpu], *, allocated: bool
    ) -> None:
        """`allocated`: the instance holds processor, memory and disk. Else it gets what its model needs now."""
        parts = {gpu.gpu_id: claim.of(gpu) for gpu in gpus}
        if not allocated:
            bare = replace(needs, gpu_count=0, vram_mb=None)
            grant = Grant(claim.instance_id, claim.instance.account_id, server.server_id, bare)
            await self._allocations.add([grant])
        await self._allocations.add_gpus(claim.instance_id, server_id=server.server_id, parts=parts)
        for gpu in gpus:
            gpu.free_mb -= parts[gpu.gpu_id]
        log.warning("gpu_allocation_rebuilt", instance_id=claim.instance_id, server_id=server.server_id, gpus=parts)

    async def _replace(self, instance: Instance) -> None:
        """An instance that is being removed ends anyway."""
        if InstanceState(instance.state) in LEAVING or self._clock.now() - instance.start_requested_at < STAYS:
            return
        log.warning("gpu_allocation_lost", instance_id=instance.instance_id, server_id=instance.server_id)
        await self._lifecycle.leave_server(
            instance, reason="AllocationLost", message="The GPU that the instance uses is not allocated to it"
        )


def _claim(instance: Instance, seen: SeenInstance | None) -> _Claim | None:
    if seen is None or seen.generation != instance.generation or seen.run.phase in _ENDED or not seen.gpu_ids:
        return None
    if instance.state == InstanceState.DELETED or not isinstance(instance.placement, OnServer):
        return None
    return _Claim(instance, frozenset(seen.gpu_ids), seen.gpu_memory_mb)


def _gpus_of(room: HeldRoom | None) -> frozenset[str]:
    return frozenset(room.gpus) if room is not None else frozenset()
