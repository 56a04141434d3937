"""The cluster message, which tells instances the addresses of all gates."""

from mlpgateway.call.ports import GateMembers
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlplace_gateproto import gate_pb2 as pb


class Cluster:
    """Holds the message that every instance gets when it connects and after each change.

    Instances compare addresses as text and give up a connection whose `currentServer` is not among `servers`, so this
    gate always lists itself.
    """

    def __init__(self, links: ConnectedInstances, address: str) -> None:
        self._links = links
        self._address = address
        self._servers: tuple[str, ...] = (address,)
        self._message = self._render()

    @property
    def message(self) -> bytes:
        """A serialised GateToServiceProto."""
        return self._message

    @property
    def servers(self) -> tuple[str, ...]:
        return self._servers

    def changed(self, members: GateMembers) -> None:
        servers = tuple(sorted({*members.connectable, self._address}))
        if servers == self._servers:
            return
        self._servers = servers
        self._message = self._render()
        for link in self._links.all():
            if not link.outgoing.control(self._message):
                link.end("does not read")

    def _render(self) -> bytes:
        update = pb.ClusterUpdateProto(servers=self._servers, currentServer=self._address)
        return pb.GateToServiceProto(cluster=update).SerializeToString()
