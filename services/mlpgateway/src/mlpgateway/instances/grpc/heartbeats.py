"""Heartbeats: one loop for all streams of the gate."""

import asyncio
import heapq
from collections.abc import Callable
from functools import cache
from typing import Final

from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.link import StreamLink
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import silence_limit_ms

# Thousands of heartbeats would occupy the gate. So the streams of an account that already has many here beat less
# often, though often enough for proxies on the way, many of which close a connection that is silent for a minute. The
# streams of other accounts do not count: they must not delay the detection of a lost instance.
_MS_FOR_EACH: Final = 100
_LONGEST_MS: Final = 55_000
_LOOK_SECONDS: Final = 1.0
_BEATS_IN_A_LOOK: Final = 4
_GOLDEN: Final = 0.618033988749895


class Heartbeats:
    """Sends this gate's heartbeats, and finds instances that went silent.

    A stream keeps its first interval, as the SDKs do: `interval_ms`, or 100 ms for each stream that its account has
    when it connects, at most 55 seconds. An instance counts as lost after three silent intervals and a second.
    """

    def __init__(self, links: ConnectedInstances, *, interval_ms: int, streams_of: Callable[[int], int]) -> None:
        """`streams_of` returns how many streams an account has here."""
        self._links = links
        self._streams_of = streams_of
        self._interval_ms = interval_ms
        self._pause = silence_limit_ms(interval_ms) / 2000
        self._begun = 0
        self._due: list[tuple[float, int, StreamLink]] = []
        # When each stream would count as lost if it had been silent since the last check.
        self._missed: list[tuple[float, int, StreamLink]] = []

    def begin(self, link: StreamLink) -> None:
        """Sends a new stream's first heartbeat. The next ones are spread in time, even if many streams come at once."""
        crowded = min(_MS_FOR_EACH * self._streams_of(link.connection.entry.account_id), _LONGEST_MS)
        link.beat_ms = max(self._interval_ms, crowded)
        self._begun += 1
        spread = self._begun * _GOLDEN % 1
        due = asyncio.get_running_loop().time() + spread * link.beat_ms / 1000
        heapq.heappush(self._due, (due, self._begun, link))
        heapq.heappush(self._missed, (_missed_at(link), self._begun, link))
        link.outgoing.control(_message(link.beat_ms))

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        look = min(_LOOK_SECONDS, self._interval_ms / 1000)
        last = loop.time()
        while True:
            for _ in range(_BEATS_IN_A_LOOK):
                await asyncio.sleep(look / _BEATS_IN_A_LOOK)
                self.beat(loop.time())
            now = loop.time()
            self.check(now, slept=now - last)
            last = now

    def check(self, now: float, *, slept: float) -> None:
        """Ends the streams of silent instances. `slept`: seconds since the last check.

        After a pause of this process no instance is judged: what it sent meanwhile has not been read yet.
        """
        if slept > self._pause:
            for link in self._links.all():
                link.last_seen = now
        while self._missed and self._missed[0][0] < now:
            _, number, link = heapq.heappop(self._missed)
            missed_at = _missed_at(link)
            if link.closed.done():
                continue
            if missed_at < now:
                link.end("silent")
            else:
                heapq.heappush(self._missed, (missed_at, number, link))

    def beat(self, now: float) -> None:
        """Sends the heartbeats that are due."""
        while self._due and self._due[0][0] <= now:
            _, number, link = heapq.heappop(self._due)
            if link.closed.done():
                continue
            heapq.heappush(self._due, (now + link.beat_ms / 1000, number, link))
            if not link.outgoing.control(_message(link.beat_ms)):
                link.end("does not read")


def _missed_at(link: StreamLink) -> float:
    return link.last_seen + silence_limit_ms(link.beat_ms) / 1000


@cache
def _message(interval_ms: int) -> bytes:
    return pb.GateToServiceProto(heartBeat=wire.heartbeat(interval_ms)).SerializeToString()
