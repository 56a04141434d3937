"""What the control endpoints use, by type, in `app.state.service`. This module knows no feature."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.requests import HTTPConnection

from mlplace_runtime.service import state_of

_T = TypeVar("_T")


class Provided:
    """Use cases and settings of one running app, one object of each type."""

    def __init__(self, *things: object) -> None:
        self._by_type = {type(thing): thing for thing in things}

    def get(self, kind: type[_T]) -> _T:
        """Raises TypeError when the app was started without one."""
        found = self._by_type.get(kind)
        if not isinstance(found, kind):
            raise TypeError(f"the app was started without a {kind.__name__}")
        return found


def provided(kind: type[_T]) -> Callable[[HTTPConnection], Awaitable[_T]]:
    """Returns a dependency for `Depends` that finds the object of this type."""
    all_of_them = state_of(Provided)

    async def find(request: HTTPConnection) -> _T:
        return (await all_of_them(request)).get(kind)

    return find
