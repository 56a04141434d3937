from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import AccountLimitsChanged


class Limits:
    """Limits and features of accounts."""

    def __init__(self) -> None:
        self._newest = Newest[AccountLimitsChanged]()
        self._by_account: dict[int, AccountLimitsChanged] = {}

    def apply(self, event: AccountLimitsChanged) -> None:
        if self._newest.take(event)[0]:
            self._by_account[event.account_id] = event

    def predict_per_sec(self, account_id: int) -> int | None:
        """None for an account whose limits are not known."""
        limits = self._by_account.get(account_id)
        return limits.predict_per_sec if limits else None

    def features(self, account_id: int) -> tuple[str, ...]:
        limits = self._by_account.get(account_id)
        return limits.features if limits else ()
