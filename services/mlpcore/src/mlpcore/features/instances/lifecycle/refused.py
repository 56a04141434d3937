"""Takes instances from servers that cannot run their image: an earlier release has placed them, or the configuration of
the server has changed since.
"""

from collections.abc import Sequence

from mlpcore.features.images.tables import Image
from mlpcore.features.instances.lifecycle.gpu_comparison import STAYS
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.placements import OnServer
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.room import can_run
from mlpcore.features.servers.tables import Server
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import Clock


class RefusedInstances:
    def __init__(self, instances: InstanceRepository, lifecycle: Lifecycle, clock: Clock) -> None:
        self._instances = instances
        self._lifecycle = lifecycle
        self._clock = clock

    async def leave(self, server: Server, instances: Sequence[Instance]) -> None:
        """Lets instances wait for another server that this one has refused, if it cannot run their image.

        Others stay: the server has other reasons. The caller has locked the instances.
        """
        refused = [instance for instance in instances if self._is_refused(instance)]
        if not refused:
            return
        launch = await self._instances.launch_rows([instance.instance_id for instance in refused])
        for instance in refused:
            if not _fits(server, *launch[instance.instance_id]):
                await self._lifecycle.leave_server(
                    instance, reason="ImageRefused", message="The server cannot run the image of the instance"
                )

    def _is_refused(self, instance: Instance) -> bool:
        """Leaves out those that came a moment ago, so that no server orders one start after the other."""
        return (
            instance.phase == ReportedPhase.REFUSED
            and instance.state == InstanceState.FAILED
            and isinstance(instance.placement, OnServer)
            and self._clock.now() - instance.start_requested_at >= STAYS
        )


def _fits(server: Server, model: Model, image: Image | None) -> bool:
    mounts = bool(model.data_image_mounts)
    return image is None or can_run(
        image.image, mounts=mounts, containers=server.runs_containers, programs=server.programs
    )
