from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import AccountChanged
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.names import PathRef


class Accounts:
    """Accounts by id and by short name. Satisfies AccountDirectory."""

    def __init__(self) -> None:
        self._newest = Newest[AccountChanged]()
        self._by_id: dict[int, AccountChanged] = {}
        self._by_name: dict[str, AccountChanged] = {}

    def apply(self, event: AccountChanged) -> None:
        changes, before = self._newest.take(event)
        if not changes:
            return
        if before is not None and self._by_name.get(before.short_name) is before:
            del self._by_name[before.short_name]
        self._by_id[event.account_id] = event
        self._by_name[event.short_name] = event

    def resolve(self, ref: PathRef) -> AccountChanged | None:
        """Returns the account, even an inactive one."""
        return self._by_id.get(ref.id) if ref.id is not None else self._by_name.get(ref.name or "")

    def is_shut(self, account_id: int) -> bool:
        """Returns whether the account is known and inactive."""
        account = self._by_id.get(account_id)
        return account is not None and not account.active

    def name_of(self, account_id: int) -> str:
        account = self._by_id.get(account_id)
        return account.short_name if account else ""

    async def find(self, ref: PathRef) -> AccountEntry | None:
        account = self.resolve(ref)
        return AccountEntry.model_validate(account, from_attributes=True) if account else None
