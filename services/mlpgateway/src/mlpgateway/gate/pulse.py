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
        tick = min(1.0, self._interval)
        last = next_beat = loop.time()
        while True:
            await asyncio.sleep(tick)
            now = loop.time()
            self.check(now, slept=now - last)
            last = now
            if now >= next_beat:
                next_beat = now + self._interval
                self._beat()

    def check(self, now: float, *, slept: float) -> None:
        """End the streams of silent instances. `slept`: seconds since the last check.

        After a pause of this process nobody is judged by it: what the instances said meanwhile is not read yet.
        """
        paused = slept > self._silence_limit / 2
        for link in self._links.all():
            if paused:
                link.last_seen = now
            elif now - link.last_seen > self._silence_limit:
                link.end("silent")

    def _beat(self) -> None:
        for link in self._links.all():
            if not link.outgoing.control(self.message):
                link.end("does not read")
