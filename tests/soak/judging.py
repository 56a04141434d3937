"""Decides whether the counted resources show a leak."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from tests.soak.census import Census


@dataclass(frozen=True, slots=True)
class Bounds:
    """`mib` bounds the growth of memory under load. The others bound the increase of counts between two censuses.

    An idle platform also opens and closes sessions, files and tasks: its relays, heartbeats and pools.
    """

    mib: float
    tasks: int = 5
    files: int = 8
    threads: int = 4
    connections: int = 2
    sessions: int = 6


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of a line through the points by Theil and Sen: the median over all pairs, which is robust to jumps.

    At most 120 points are used, so that long runs are judged as fast as short ones.
    """
    step = max(1, len(points) // 120)
    thinned = points[::step]
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(thinned, 2) if x2 > x1]
    return median(slopes)


def leaks(
    memory: Sequence[tuple[float, float]], *, calls: int, before: Census, after: Census, bounds: Bounds
) -> list[str]:
    """Sentences about leaks, empty if there are none. `memory` holds (seconds, KiB) during the `calls`."""
    found: list[str] = []
    seconds = memory[-1][0] - memory[0][0]
    kib = slope(memory) * seconds
    if kib > bounds.mib * 1024:
        found.append(
            f"memory grew by {kib / 1024:.1f} MiB, {kib / calls:.2f} KiB with each call; {bounds.mib} MiB may be"
        )
    for name in ("tasks", "files", "threads", "connections", "sessions"):
        more = getattr(after, name) - getattr(before, name)
        if more > getattr(bounds, name):
            found.append(f"{more} more {name} than before: {getattr(before, name)} became {getattr(after, name)}")
    if after.forgotten_transactions:
        found.append(f"{after.forgotten_transactions} transactions are open and nobody works in them")
    return found
