"""Heart-beats: one loop for all streams of the gate, none of their own."""

import asyncio

from mlpgateway.gate import wire
from mlpgateway.gate.links import ConnectedInstances
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import silence_limit_ms


class Pulse:
    """Beats for this gate, and notices instances that went silent."""

    def __init__(self, links: ConnectedInstances, *, interval_ms: int) -> None:
        self._links = links
        self._interval = interval_ms / 1000
        self._silence_limit = silence_limit_ms(interval_ms) / 1000
        self.message = pb.GateToServiceProto(heartBeat=wire.heartbeat(interval_ms)).SerializeToString()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        next_beat = loop.time() + self._interval
        while True:
            await asyncio.sleep(min(1.0, self._interval))
            self._end_silent(loop.time())
            if loop.time() >= next_beat:
                next_beat = loop.time() + self._interval
                self._beat()

    def _end_silent(self, now: float) -> None:
        for link in self._links.all():
            if now - link.last_seen > self._silence_limit:
                link.end("silent")

    def _beat(self) -> None:
        for link in self._links.all():
            if not link.outgoing.control(self.message):
                link.end("does not read")
