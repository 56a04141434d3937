from collections.abc import Collection
from itertools import takewhile

from mlpbilling.features.ledger.changes import AccountBalances, CurrencyBalances, LedgerChanges
from mlpbilling.features.ledger.repository import LedgerRepository
from mlplace_contracts.events import BalanceChanged
from mlplace_kit.clock import Clock
from mlplace_kit.money import Currency
from mlplace_runtime.db.outbox import Publisher

_DEBTS = 1000


class Ledger:
    """Every movement of money calls `lock_accounts`, changes what it returns, and calls `store_changes`."""

    def __init__(self, repository: LedgerRepository, publisher: Publisher, clock: Clock) -> None:
        self._repository = repository
        self._publisher = publisher
        self._clock = clock

    async def lock_accounts(self, account_ids: Collection[int]) -> LedgerChanges:
        """Locks the accounts until the transaction ends. Lock all at once: the order of locks prevents deadlocks."""
        return LedgerChanges(await self._repository.lock(account_ids))

    async def lock_receiver(self, *, account_id: int, currency: Currency) -> LedgerChanges:
        """Like `lock_accounts`, for an account that receives money: `store_changes` then pays its debts, oldest first.

        It also locks the owners to whom the account owes. Debts to other owners that arise while it waits for the
        locks, and those beyond the limit of one transaction, are left to `pay_debts`.
        """
        owners = await self._repository.creditors(account_id, currency, limit=_DEBTS)
        accounts = await self._repository.lock({account_id, *owners})
        if not accounts[account_id].of(currency).owed_nano:
            return LedgerChanges(accounts)
        debts = await self._repository.open_debts(account_id, currency, limit=_DEBTS)
        return LedgerChanges(accounts, list(takewhile(lambda debt: debt.owner_account_id in accounts, debts)))

    async def pay_debts(self, *, account_id: int, currency: Currency) -> None:
        """Pays debts with money that came in earlier."""
        await self.store_changes(await self.lock_receiver(account_id=account_id, currency=currency))

    async def store_changes(self, changes: LedgerChanges) -> None:
        """Stores transactions, debts, balances and standing. Publishes each balance that changed."""
        now = self._clock.now()
        changes.pay_debts(now)
        if changes.transactions:
            await self._repository.append(changes.transactions)
        await self._repository.add_debts(changes.new_debts)
        await self._repository.add_payments(changes.payments)
        for account in changes.accounts.values():
            account.judge(now)
            if account.touched:
                await self._repository.store_account(account)
        await self._store_balances(changes)

    async def _store_balances(self, changes: LedgerChanges) -> None:
        touched = [
            (account.account_id, currency, balances)
            for account in changes.accounts.values()
            for currency, balances in account.currencies.items()
            if balances.touched
        ]
        for _, _, balances in touched:
            balances.version += balances.moved
        await self._repository.store_balances(touched)
        await self._publisher.add(
            *(
                _event(changes.accounts[account_id], currency, balances)
                for account_id, currency, balances in touched
                if balances.moved
            )
        )

    async def set_no_blocking(self, *, account_id: int, enabled: bool, version: int) -> None:
        changes = await self.lock_accounts([account_id])
        changes.accounts[account_id].set_no_blocking(enabled=enabled, version=version)
        await self.store_changes(changes)

    async def standing(self, *, account_id: int) -> AccountBalances:
        """Reads an account without a lock, for display."""
        return await self._repository.read(account_id)


def _event(account: AccountBalances, currency: Currency, balances: CurrencyBalances) -> BalanceChanged:
    return BalanceChanged(
        version=balances.version,
        account_id=account.account_id,
        currency=currency,
        main_nano=balances.main_nano,
        income_nano=balances.income_nano,
        blocked=account.blocked,
        unused_wanted=balances.unused_wanted,
        rests_wanted=balances.unused_wanted,
    )
