"""Chooses a server for an instance: first the servers that can take it, then the best of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heapreplace

from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.room import FreeRoom, Gpu, Lack, Refusal


@dataclass(frozen=True, slots=True)
class Place:
    room: FreeRoom
    gpus: Sequence[Gpu]


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Why no server can take an instance. `lacking`: servers and the smallest missing amount for each lack."""

    servers: int
    lacking: Mapping[Lack, tuple[int, int]]

    @property
    def reason(self) -> str:
        return "NotEnoughRoom" if self.servers else "NoServerAvailable"

    def details(self) -> dict[str, object] | None:
        """Returns the numbers in the wire's shape, in thousandths of a core and MiB; None without servers."""
        if not self.servers:
            return None
        lacking = [
            {"what": lack.value, "servers": servers, "missing": missing}
            for lack, (servers, missing) in sorted(self.lacking.items(), key=lambda entry: (-entry[1][0], entry[0]))
        ]
        return {"servers": self.servers, "lacking": lacking}


def choose(rooms: Iterable[FreeRoom], needs: Needs, ready_by: datetime) -> Place | NoPlace:
    """Returns the best place without taking it.

    An instance with GPUs goes where the fewest GPUs and the least of their memory stay free, so that whole GPUs remain
    for large services. An instance without goes to servers without GPUs, there where the larger share of processor
    and memory stays free, so that load spreads. Equal servers are taken in the order of their ids.
    """
    best: FreeRoom | None = None
    best_score: tuple[float, ...] = ()
    lacking: dict[Lack, tuple[int, int]] = {}
    servers = 0
    for room in rooms:
        servers += 1
        refusal = room.refusal(needs, ready_by)
        if refusal is not None:
            _count(lacking, refusal)
            continue
        score = _score(room, needs)
        if best is None or score < best_score:
            best, best_score = room, score
    if best is None:
        return NoPlace(servers, lacking)
    return Place(best, best.gpus_for(needs) if needs.gpu_count else ())


class Spread:
    """The servers that can take instances with the same needs, without GPUs; the best first.

    For a series of choices in which room only shrinks: then scores only get worse, and a server that is refused once
    stays refused. So each choice looks at a few servers, and gets the place that `choose` would return.
    """

    def __init__(self, rooms: Iterable[FreeRoom], needs: Needs, ready_by: datetime) -> None:
        self._needs, self._ready_by = needs, ready_by
        self._heap = [(_score(room, needs), room) for room in rooms if room.refusal(needs, ready_by) is None]
        heapify(self._heap)

    def best(self) -> Place | None:
        while self._heap:
            score, room = self._heap[0]
            if room.refusal(self._needs, self._ready_by) is not None:
                heappop(self._heap)
            elif (current := _score(room, self._needs)) == score:
                return Place(room, ())
            else:
                heapreplace(self._heap, (current, room))
        return None


def _score(room: FreeRoom, needs: Needs) -> tuple[float, ...]:
    if needs.gpu_count:
        whole = sum(gpu.free_mb == gpu.vram_mb for gpu in room.gpus)
        return (whole, sum(gpu.free_mb for gpu in room.gpus), room.server_id)
    # The room is enough, so neither total is zero.
    cpu = (room.free_milli_cpu - needs.milli_cpu) / room.milli_cpu
    ram = (room.free_ram_mb - needs.ram_mb) / room.ram_mb
    return (bool(room.gpus), -cpu if cpu < ram else -ram, room.server_id)


def _count(lacking: dict[Lack, tuple[int, int]], refusal: Refusal) -> None:
    servers, least = lacking.get(refusal.lack, (0, refusal.missing))
    lacking[refusal.lack] = (servers + 1, min(least, refusal.missing))
