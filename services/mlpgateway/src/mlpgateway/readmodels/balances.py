from collections.abc import Callable

from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import BalanceChanged


class Balances:
    """The blocked accounts. Amounts are left to mlpbilling: here they would always be out of date."""

    def __init__(self) -> None:
        self._newest = Newest[BalanceChanged]()
        self._blocked: set[int] = set()
        self._listeners: list[Callable[[BalanceChanged], None]] = []

    def apply(self, event: BalanceChanged) -> None:
        """Applies a balance of either currency. Each tells whether the account is blocked; the latest one counts."""
        if not self._newest.take(event)[0]:
            return
        if event.blocked:
            self._blocked.add(event.account_id)
        else:
            self._blocked.discard(event.account_id)
        for listener in self._listeners:
            listener(event)

    def is_blocked(self, account_id: int) -> bool:
        return account_id in self._blocked

    def watch(self, listener: Callable[[BalanceChanged], None]) -> None:
        """Calls the listener with each change."""
        self._listeners.append(listener)
