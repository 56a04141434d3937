"""The common rule of all read models: a newer version wins, and a deletion is a version like any other."""

from typing import Generic, TypeVar

from mlplace_contracts.events import StateEvent

_State = TypeVar("_State", bound=StateEvent)


class Newest(Generic[_State]):
    """The newest state of each object of one kind. Deleted objects stay as tombstones."""

    def __init__(self) -> None:
        self._states: dict[str, _State] = {}

    def take(self, event: _State) -> tuple[bool, _State | None]:
        """Returns whether the event is newer than the known state, and that state."""
        known = self._states.get(event.key)
        if known is not None and known.version >= event.version:
            return False, known
        self._states[event.key] = event
        return True, known

    def get(self, key: str) -> _State | None:
        return self._states.get(key)
