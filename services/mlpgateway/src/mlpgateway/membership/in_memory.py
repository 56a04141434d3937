"""The gates of one process: for an all-in-one platform and for tests. Passes the contract tests of the directory."""

from collections.abc import Callable

from mlpgateway.call.ports import GateMembers

Listener = Callable[[GateMembers], None]


class GatesInMemory:
    """Satisfies GateDirectory."""

    def __init__(self) -> None:
        self._leaving: dict[str, bool] = {}
        self._internal: dict[str, str] = {}
        self._listeners: list[Listener] = []

    async def join(self, address: str, *, internal: str = "") -> None:
        self._internal[address] = internal
        self._set(address, leaving=False)

    async def retire(self, address: str) -> None:
        if address in self._leaving:
            self._set(address, leaving=True)

    async def leave(self, address: str) -> None:
        if self._leaving.pop(address, None) is not None:
            self._notify_watchers()

    async def members(self) -> GateMembers:
        return self._members()

    def watch(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _set(self, address: str, *, leaving: bool) -> None:
        if self._leaving.get(address) is not leaving:
            self._leaving[address] = leaving
            self._notify_watchers()

    def _members(self) -> GateMembers:
        names = sorted(self._leaving)
        return GateMembers(
            active=tuple(name for name in names if not self._leaving[name]),
            retiring=tuple(name for name in names if self._leaving[name]),
            internal=tuple((name, self._internal[name]) for name in names if self._internal[name]),
        )

    def _notify_watchers(self) -> None:
        members = self._members()
        for listener in list(self._listeners):
            listener(members)
