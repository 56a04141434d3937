from collections.abc import Collection

from mlpbilling.features.ledger.books import AccountBook, Books, CurrencyBook
from mlpbilling.features.ledger.repository import LedgerRepository
from mlplace_contracts.events import BalanceChanged
from mlplace_kit.clock import Clock
from mlplace_kit.money import Currency
from mlplace_runtime.db.outbox import Publisher


class Ledger:
    """All that moves money opens the books of the accounts it concerns, writes in them, and closes them."""

    def __init__(self, repository: LedgerRepository, publisher: Publisher, clock: Clock) -> None:
        self._repository = repository
        self._publisher = publisher
        self._clock = clock

    async def open_books(self, account_ids: Collection[int]) -> Books:
        """Locked until the transaction ends. Open all accounts at once: the order of the locks prevents deadlocks."""
        return Books(await self._repository.lock(account_ids))

    async def close_books(self, books: Books) -> None:
        """Write transactions, balances and standing; tell of every balance that changed."""
        now = self._clock.now()
        if books.transactions:
            await self._repository.append(books.transactions)
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
        """For showing: no lock is taken."""
        return await self._repository.read(account_id)


def _event(account: AccountBook, currency: Currency, book: CurrencyBook) -> BalanceChanged:
    return BalanceChanged(
        version=book.version,
        account_id=account.account_id,
        currency=currency.value,
        main_nano=book.main_nano,
        income_nano=book.income_nano,
        blocked=account.blocked,
    )
