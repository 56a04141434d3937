"""The rule of every replacement: when an instance may end because others have taken its place.

A successor starts beside its predecessor where there is room for both, and takes over when it serves; then the
predecessor ends like one that is stopped. What happens where there is no room follows from the cause.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum, auto


class Cause(Enum):
    """Why an instance is replaced.

    CONFIGURATION: it could go on, so it is what is left if its successor fails: it stays until that one serves, whether
    it serves itself or not. Without room for both it ends first, since its room is what the successor gets.

    SERVER: it cannot stay, and its server takes no other instance. One that nobody reaches ends at once; to end it
    first would make no room, so without room elsewhere it stays as long as its server does.
    """

    CONFIGURATION = auto()
    SERVER = auto()

    @property
    def ends_first(self) -> bool:
        """Whether the predecessor ends before its successor starts if there is no room for both."""
        return self is Cause.CONFIGURATION

    @property
    def keeps_unreachable(self) -> bool:
        return self is Cause.CONFIGURATION


@dataclass(frozen=True, slots=True)
class Serving:
    """What callers have of an instance. `gates`: those that are connected to it."""

    instance_id: int
    started: bool
    gates: frozenset[str] = frozenset()

    def takes_over(self, predecessor: "Serving") -> bool:
        """Whether calls of each gate that reach the predecessor would reach this one."""
        return self.started and predecessor.gates <= self.gates


def replaced(
    predecessors: Sequence[Serving],
    successors: Collection[Serving],
    *,
    wanted: int,
    cause: Cause,
    no_room: bool = False,
) -> Sequence[int]:
    """Returns the ids of the predecessors that may end. `wanted`: so many instances have to serve, at each gate.

    The last predecessors end first. An instance counts in the place of a predecessor if it takes over from it.
    `no_room`: no successor could start beside them.
    """
    if no_room and cause.ends_first:
        return [each.instance_id for each in predecessors]
    needed = [each for each in predecessors if each.started or cause.keeps_unreachable]
    ending = [each.instance_id for each in predecessors if each not in needed]
    left = len(needed)
    for predecessor in reversed(needed):
        ready = sum(successor.takes_over(predecessor) for successor in successors)
        if ready + left > wanted:
            ending.append(predecessor.instance_id)
            left -= 1
    return ending
