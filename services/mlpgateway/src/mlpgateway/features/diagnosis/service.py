"""Shows the other gates and the instances that a gate knows."""

from collections.abc import Sequence
from dataclasses import dataclass

from mlpgateway.call.ports import GateDirectory, GateMembers
from mlpgateway.instances.grpc.link import StreamLink
from mlpgateway.instances.grpc.links import ConnectedInstances


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`address` is this gate's own address."""

    address: str
    links: ConnectedInstances
    gates: GateDirectory

    async def members(self) -> GateMembers:
        return await self.gates.members()

    def streams(self) -> Sequence[StreamLink]:
        """Returns the streams; an instance appears once for each of its streams to this gate."""
        return self.links.all()
