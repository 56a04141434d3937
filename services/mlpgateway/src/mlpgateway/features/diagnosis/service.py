"""What this gate sees of other gates and of instances."""

from collections.abc import Sequence
from dataclasses import dataclass

from mlpgateway.call.ports import GateDirectory, GateMembers
from mlpgateway.instances.grpc.link import StreamLink
from mlpgateway.instances.grpc.links import ConnectedInstances


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`address` is this gate's own."""

    address: str
    links: ConnectedInstances
    gates: GateDirectory

    async def members(self) -> GateMembers:
        return await self.gates.members()

    def streams(self) -> Sequence[StreamLink]:
        """An instance appears once for each stream that it has to this gate."""
        return self.links.all()
