"""Chooses which instances end so that a waiting one gets room: as few as needed, and none if that makes no room."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mlpcore.features.placement.account_room import AccountRoom
from mlpcore.features.placement.choice import Place, choose
from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.room import FreeRoom


@dataclass(frozen=True, slots=True)
class PlacedInstance:
    """An instance with room on a server. `gpus`: MiB by GPU; `used_at`: the last call, or a later start."""

    instance_id: int
    model_id: int
    account_id: int
    server_id: int
    derived: bool
    needs: Needs
    gpus: tuple[tuple[str, int], ...]
    used_at: datetime
    model_created_at: datetime

    @property
    def age(self) -> tuple[datetime, datetime, int]:
        """Least recently used first; of equals, the older service first."""
        return self.used_at, self.model_created_at, self.instance_id


@dataclass(frozen=True, slots=True)
class WaitingInstance:
    """A waiting instance."""

    model_id: int
    account_id: int
    derived: bool
    needs: Needs
    ready_by: datetime


@dataclass(frozen=True, slots=True)
class Evictions:
    """What has to end: within the limits of the account, and in the rest of the group."""

    of_account: Sequence[PlacedInstance]
    of_group: Sequence[PlacedInstance]


def plan(
    rooms: Sequence[FreeRoom], account: AccountRoom, evictable: Iterable[PlacedInstance], wanted: WaitingInstance
) -> Evictions | None:
    """Returns what has to end; None if no choice makes room. Changes neither `rooms` nor `account`.

    `rooms` and `account` say what will be left when the instances that are being removed have ended. Instances of the
    waiting one's own service stay.
    """
    queue = sorted((held for held in evictable if held.model_id != wanted.model_id), key=lambda held: held.age)
    own = _for_account(account, [held for held in queue if held.account_id == wanted.account_id], wanted)
    if own is None:
        return None
    by_id = {room.server_id: room for room in rooms}
    for server_id, ended in _by_server(own).items():
        by_id[server_id] = _without(by_id[server_id], ended)
    if isinstance(choose(by_id.values(), wanted.needs, wanted.ready_by), Place):
        return Evictions(own, ())
    ending = {held.instance_id for held in own}
    rest = _for_group(by_id, [held for held in queue if held.instance_id not in ending], wanted)
    return None if rest is None else Evictions(own, rest)


def _for_account(
    account: AccountRoom, queue: Sequence[PlacedInstance], wanted: WaitingInstance
) -> Sequence[PlacedInstance] | None:
    if account.is_over(wanted.needs, derived=wanted.derived):
        return None  # the limit was lowered: what runs stays, and what waits goes on waiting
    left, count = account.copy(), 0
    while left.exceeded(wanted.needs, derived=wanted.derived) is not None:
        if count == len(queue):
            return None
        left.give_back(queue[count].needs, derived=queue[count].derived)
        count += 1
    chosen = queue[:count]
    return _fewest(chosen, lambda kept: not _exceeded(account, kept, wanted))


def _for_group(
    rooms: Mapping[int, FreeRoom], queue: Sequence[PlacedInstance], wanted: WaitingInstance
) -> Sequence[PlacedInstance] | None:
    """Goes through the queue until one server can take the instance: only what holds room there has to end."""
    possible = {
        server_id: rooms[server_id].copy()
        for server_id, ended in _by_server(queue).items()
        if _fits(rooms[server_id], ended, wanted)
    }
    chosen = defaultdict[int, list[PlacedInstance]](list)
    for held in queue:
        if (left := possible.get(held.server_id)) is None:
            continue
        mine = chosen[held.server_id]
        mine.append(held)
        left.give_back(held.needs, dict(held.gpus))
        if left.refusal(wanted.needs, wanted.ready_by) is None:
            return _fewest_of(rooms[held.server_id], mine, wanted)
    return None


def _fewest_of(room: FreeRoom, chosen: Sequence[PlacedInstance], wanted: WaitingInstance) -> Sequence[PlacedInstance]:
    return _fewest(chosen, lambda kept: _fits(room, kept, wanted))


def _by_server(instances: Iterable[PlacedInstance]) -> Mapping[int, Sequence[PlacedInstance]]:
    found = defaultdict[int, list[PlacedInstance]](list)
    for held in instances:
        found[held.server_id].append(held)
    return found


def _fewest(
    chosen: Sequence[PlacedInstance], enough: Callable[[Sequence[PlacedInstance]], bool]
) -> Sequence[PlacedInstance]:
    """Drops what is not needed, the most recently used first."""
    kept = list(chosen)
    for held in reversed(chosen):
        fewer = [other for other in kept if other is not held]
        if enough(fewer):
            kept = fewer
    return kept


def _exceeded(account: AccountRoom, ended: Iterable[PlacedInstance], wanted: WaitingInstance) -> bool:
    left = account.copy()
    for held in ended:
        left.give_back(held.needs, derived=held.derived)
    return left.exceeded(wanted.needs, derived=wanted.derived) is not None


def _fits(room: FreeRoom, ended: Iterable[PlacedInstance], wanted: WaitingInstance) -> bool:
    return _without(room, ended).refusal(wanted.needs, wanted.ready_by) is None


def _without(room: FreeRoom, ended: Iterable[PlacedInstance]) -> FreeRoom:
    """Returns what the server has left without these instances."""
    left = room.copy()
    for held in ended:
        left.give_back(held.needs, dict(held.gpus))
    return left
