"""Applies what was seen of the instances on a server to their life."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from mlpcore.features.instances.lifecycle.history import OutputHistory
from mlpcore.features.instances.lifecycle.runs import Runs
from mlpcore.features.instances.lifecycle.seen import Seen, SeenOutput
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.repository import ConnectionRepository
from mlpcore.features.instances.tables import Instance


class Observing:
    def __init__(
        self, runs: Runs, output: OutputHistory, lifecycle: Lifecycle, connections: ConnectionRepository
    ) -> None:
        self._runs = runs
        self._output = output
        self._lifecycle = lifecycle
        self._connections = connections

    async def apply(
        self, instances: Sequence[Instance], seen: Seen, *, heard_before: datetime | None
    ) -> Mapping[int, frozenset[str]]:
        """Stores how the instances run and what they wrote, and derives their states. The caller has locked them.

        Ignores what was seen of others, and of earlier generations. `heard_before`: when the server was seen before
        this; None at the first time. Returns the gates to which the instances are connected.
        """
        for instance in instances:
            found = seen.instances.get(instance.instance_id)
            if found is not None and found.generation == instance.generation:
                await self._runs.note(instance, found.run, heard_before=heard_before)
        connected = await self._connections.connected_gates([i.instance_id for i in instances])
        for instance in instances:
            await self._lifecycle.settle(instance, connected=instance.instance_id in connected)
        await self._note_output(instances, seen.output)
        return connected

    async def _note_output(self, instances: Sequence[Instance], output: Sequence[SeenOutput]) -> None:
        generations = {instance.instance_id: instance.generation for instance in instances}
        for piece in output:
            if generations.get(piece.instance_id) == piece.generation:
                await self._output.append(
                    instance_id=piece.instance_id,
                    generation=piece.generation,
                    restart_count=piece.restart_count,
                    offset=piece.offset,
                    text=piece.text,
                )
