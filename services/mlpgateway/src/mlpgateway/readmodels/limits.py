from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import AccountLimitsChanged
from mlplace_kit.networks import Network, contains, network_of


class LimitsOfAccounts:
    """Limits and features of accounts."""

    def __init__(self) -> None:
        self._newest = Newest[AccountLimitsChanged]()
        self._by_account: dict[int, AccountLimitsChanged] = {}
        self._networks: dict[int, list[Network]] = {}

    def apply(self, event: AccountLimitsChanged) -> None:
        if self._newest.take(event)[0]:
            self._by_account[event.account_id] = event
            if event.allowed_networks is None:
                self._networks.pop(event.account_id, None)
            else:
                self._networks[event.account_id] = [network_of(text) for text in event.allowed_networks]

    def predict_per_sec(self, account_id: int) -> int | None:
        """Returns None for an account whose limits are unknown."""
        limits = self._by_account.get(account_id)
        return limits.predict_per_sec if limits else None

    def storage_bytes(self, account_id: int) -> int | None:
        """Returns None for an account whose limit is unknown."""
        limits = self._by_account.get(account_id)
        return limits.storage_bytes if limits else None

    def serves(self, account_id: int, address: str) -> bool:
        """Returns whether the account's calls may come from this address."""
        networks = self._networks.get(account_id)
        return networks is None or contains(networks, address)

    def features(self, account_id: int) -> tuple[str, ...]:
        limits = self._by_account.get(account_id)
        return limits.features if limits else ()
