"""Which images a group of servers tells apart. Most groups tell none apart: all their servers run containers."""

from collections.abc import Iterable
from dataclasses import replace

from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.room import FreeRoom

_OTHER = ""
"""Stands for every image that no server runs as a program. No image has this address."""


class KnownImages:
    """The images that the servers run as programs, and whether all servers run the others in containers."""

    def __init__(self, rooms: Iterable[FreeRoom]) -> None:
        rooms = list(rooms)
        self._programs = frozenset[str]().union(*(room.programs for room in rooms))
        self._containers_everywhere = all(room.runs_containers for room in rooms)

    def told_apart(self, needs: Needs) -> Needs:
        """Returns needs that the same servers can meet, equal for images that each server runs or refuses alike.

        So the scheduler, which remembers its choice for equal needs, chooses once for all of them.
        """
        if needs.image is None:
            return needs
        known = needs.image in self._programs
        if self._containers_everywhere and not (known and needs.mounts):
            return replace(needs, image=None, mounts=False)
        return needs if known else replace(needs, image=_OTHER, mounts=False)
