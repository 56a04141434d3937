from collections.abc import Collection
from itertools import takewhile

from mlpbilling.features.ledger.books import AccountBook, Books, CurrencyBook
from mlpbilling.features.ledger.repository import LedgerRepository
from mlplace_contracts.events import BalanceChanged
from mlplace_kit.clock import Clock
from mlplace_kit.money import Currency
from mlplace_runtime.db.outbox import Publisher

_DEBTS = 1000


class Ledger:
    """Every movement of money locks accounts with `open_books`, changes them, and stores them with `close_books`."""

    def __init__(self, repository: LedgerRepository, publisher: Publisher, clock: Clock) -> None:
        self._repository = repository
        self._publisher = publisher
        self._clock = clock

    async def open_books(self, account_ids: Collection[int]) -> Books:
        """Locks the accounts until the transaction ends. Lock all at once: the order of locks prevents deadlocks."""
        return Books(await self._repository.lock(account_ids))

    async def open_receiver(self, *, account_id: int, currency: Currency) -> Books:
        """Like `open_books`, for an account that receives money: `close_books` then pays its debts, oldest first.

        It also locks the owners to whom the account owes. Debts to other owners that arise while it waits for the
        locks, and those beyond the limit of one transaction, are left to `pay_debts`.
        """
        owners = await self._repository.creditors(account_id, currency, limit=_DEBTS)
        accounts = await self._repository.lock({account_id, *owners})
        if not accounts[account_id].of(currency).owed_nano:
            return Books(accounts)
        debts = await self._repository.open_debts(account_id, currency, limit=_DEBTS)
        return Books(accounts, list(takewhile(lambda debt: debt.owner_account_id in accounts, debts)))

    async def pay_debts(self, *, account_id: int, currency: Currency) -> None:
        """Pays debts with money that came in earlier."""
        await self.close_books(await self.open_receiver(account_id=account_id, currency=currency))

    async def close_books(self, books: Books) -> None:
        """Stores transactions, debts, balances and standing. Publishes each balance that changed."""
        now = self._clock.now()
        books.pay_debts(now)
        if books.transactions:
            await self._repository.append(books.transactions)
        await self._repository.add_debts(books.new_debts)
        await self._repository.add_payments(books.payments)
        for account in books.accounts.values():
            account.judge(now)
            if account.touched:
                await self._repository.store_account(account)
        await self._store_balances(books)

    async def _store_balances(self, books: Books) -> None:
        touched = [
            (account.account_id, currency, book)
            for account in books.accounts.values()
            for currency, book in account.currencies.items()
            if book.touched
        ]
        for _, _, book in touched:
            book.version += book.moved
        await self._repository.store_balances(touched)
        await self._publisher.add(
            *(
                _event(books.accounts[account_id], currency, book)
                for account_id, currency, book in touched
                if book.moved
            )
        )

    async def set_no_blocking(self, *, account_id: int, enabled: bool, version: int) -> None:
        books = await self.open_books([account_id])
        books.accounts[account_id].set_no_blocking(enabled=enabled, version=version)
        await self.close_books(books)

    async def standing(self, *, account_id: int) -> AccountBook:
        """Reads an account without a lock, for display."""
        return await self._repository.read(account_id)


def _event(account: AccountBook, currency: Currency, book: CurrencyBook) -> BalanceChanged:
    return BalanceChanged(
        version=book.version,
        account_id=account.account_id,
        currency=currency,
        main_nano=book.main_nano,
        income_nano=book.income_nano,
        blocked=account.blocked,
        unused_wanted=book.unused_wanted,
        rests_wanted=book.unused_wanted,
    )
