"""The books of some accounts, open in memory while their rows are locked. No I/O."""

from dataclasses import dataclass, field
from datetime import datetime

from mlpbilling.features.ledger.entries import PurseKind, Transaction
from mlpbilling.features.ledger.errors import BalanceTooLarge
from mlplace_kit.money import MAX_NANO, Currency


@dataclass(slots=True)
class CurrencyBook:
    """`available_nano` without credit: what is neither spent nor held."""

    main_nano: int = 0
    income_nano: int = 0
    held_nano: int = 0
    version: int = 0
    moved: bool = False
    touched: bool = False

    @property
    def available_nano(self) -> int:
        return self.main_nano - self.held_nano


@dataclass(slots=True)
class AccountBook:
    account_id: int
    no_blocking: bool = False
    limits_version: int = 0
    blocked: bool = False
    below_zero_since: datetime | None = None
    currencies: dict[Currency, CurrencyBook] = field(default_factory=dict[Currency, CurrencyBook])
    touched: bool = False

    def of(self, currency: Currency) -> CurrencyBook:
        return self.currencies.setdefault(currency, CurrencyBook())

    def set_no_blocking(self, *, enabled: bool, version: int) -> None:
        """An older version than the one known changes nothing."""
        if version > self.limits_version:
            self.no_blocking, self.limits_version, self.touched = enabled, version, True

    def judge(self, now: datetime) -> None:
        """Blocked means below zero in any currency without the right to be. A change is news in every currency."""
        below = any(book.main_nano < 0 for book in self.currencies.values())
        since = (self.below_zero_since or now) if below else None
        blocked = below and not self.no_blocking
        if blocked != self.blocked:
            for book in self.currencies.values():
                book.moved = book.touched = True
        self.touched |= (blocked, since) != (self.blocked, self.below_zero_since)
        self.blocked, self.below_zero_since = blocked, since


class Books:
    """Gathers transactions and holds. One batch changes each balance once, however many transactions it brings."""

    def __init__(self, accounts: dict[int, AccountBook]) -> None:
        self.accounts = accounts
        self.transactions: list[Transaction] = []

    def book(self, account_id: int, currency: Currency) -> CurrencyBook:
        return self.accounts[account_id].of(currency)

    def post(self, transaction: Transaction) -> None:
        """Raises BalanceTooLarge when a balance would leave 63 bits; the books are then as they were."""
        changed: list[tuple[CurrencyBook, int, int]] = []
        for entry in transaction.entries:
            purse = entry.purse
            if purse.account_id is None:
                continue
            book = self.book(purse.account_id, purse.currency)
            in_main = purse.kind is PurseKind.MAIN
            changed.append((book, entry.amount_nano if in_main else 0, 0 if in_main else entry.amount_nano))
        if any(max(abs(b.main_nano + main), abs(b.income_nano + income)) > MAX_NANO for b, main, income in changed):
            raise BalanceTooLarge
        for book, main, income in changed:
            book.main_nano += main
            book.income_nano += income
            book.moved = book.touched = True
        self.transactions.append(transaction)

    def hold(self, account_id: int, currency: Currency, change_nano: int) -> None:
        if change_nano:
            book = self.book(account_id, currency)
            book.held_nano += change_nano
            book.touched = True
