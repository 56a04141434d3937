"""Events that carry a whole state, of which only the newest version counts."""

from collections.abc import Sequence
from typing import TypeVar

from mlplace_contracts.events import Event, StateEvent

_State = TypeVar("_State", bound=StateEvent)


def newest(events: Sequence[Event], kind: type[_State]) -> list[_State]:
    """Returns the highest version of each object of one kind, for handlers that write a batch at once.

    An older version may come later, for example after a replay, and must not win within the batch either.
    """
    found: dict[str, _State] = {}
    for event in events:
        if isinstance(event, kind) and (event.key not in found or found[event.key].version < event.version):
            found[event.key] = event
    return list(found.values())
