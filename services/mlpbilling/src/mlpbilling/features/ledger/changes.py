"""Accounts with their balances in memory, while their rows are locked. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mlpbilling.features.ledger.debts import Debt, Payment, pay
from mlpbilling.features.ledger.entries import LedgerAccountKind, Transaction
from mlpbilling.features.ledger.errors import BalanceTooLarge
from mlplace_kit.money import MAX_NANO, Currency


@dataclass(slots=True)
class CurrencyBalances:
    """One account's balances in one currency.

    A negative balance is owed to owners, except `advanced_nano`, which they received before debts were introduced.
    """

    main_nano: int = 0
    income_nano: int = 0
    held_nano: int = 0
    owed_nano: int = 0
    advanced_nano: int = 0
    version: int = 0
    moved: bool = False
    touched: bool = False
    unused_wanted: bool = False

    @property
    def available_nano(self) -> int:
        """What is neither spent nor held, without credit."""
        return self.main_nano - self.held_nano

    @property
    def below_zero_nano(self) -> int:
        return max(0, -self.main_nano)

    @property
    def payable_nano(self) -> int:
        """The part of the debts that the payer has money for by now."""
        return max(0, self.owed_nano - self.below_zero_nano)

    def covers(self, price_nano: int) -> int:
        """Returns how much of the price the payer's money covers. Credit is nobody's money and covers nothing."""
        return max(0, min(price_nano, self.main_nano))

    def move(self, main_nano: int, income_nano: int) -> None:
        """Changes the balances. Incoming money first settles what was advanced, because it is older than every debt."""
        before = self.below_zero_nano
        self.main_nano += main_nano
        self.income_nano += income_nano
        self.advanced_nano -= min(self.advanced_nano, max(0, before - self.below_zero_nano))
        self.moved = self.touched = True


@dataclass(slots=True)
class AccountBalances:
    account_id: int
    no_blocking: bool = False
    limits_version: int = 0
    blocked: bool = False
    below_zero_since: datetime | None = None
    currencies: dict[Currency, CurrencyBalances] = field(default_factory=dict[Currency, CurrencyBalances])
    touched: bool = False

    def of(self, currency: Currency) -> CurrencyBalances:
        return self.currencies.setdefault(currency, CurrencyBalances())

    def set_no_blocking(self, *, enabled: bool, version: int) -> None:
        """Ignores versions that are older than the known one."""
        if version > self.limits_version:
            self.no_blocking, self.limits_version, self.touched = enabled, version, True

    def judge(self, now: datetime) -> None:
        """Updates the standing: an account is blocked if any currency is below zero and `no_blocking` is off.

        A change of `blocked` is published with every currency.
        """
        below = any(balances.main_nano < 0 for balances in self.currencies.values())
        since = (self.below_zero_since or now) if below else None
        blocked = below and not self.no_blocking
        if blocked != self.blocked:
            for balances in self.currencies.values():
                balances.moved = balances.touched = True
        self.touched |= (blocked, since) != (self.blocked, self.below_zero_since)
        self.blocked, self.below_zero_since = blocked, since


class LedgerChanges:
    """Collects transactions and holds. A batch changes each balance once, whatever its number of transactions.

    `debts` are open debts of one payer in one currency, oldest first, to owners among the accounts.
    """

    def __init__(self, accounts: dict[int, AccountBalances], debts: Sequence[Debt] = ()) -> None:
        self.accounts = accounts
        self.transactions: list[Transaction] = []
        self.new_debts: list[Debt] = []
        self.payments: list[Payment] = []
        self._debts = debts

    def balances(self, account_id: int, currency: Currency) -> CurrencyBalances:
        return self.accounts[account_id].of(currency)

    def post(self, transaction: Transaction) -> None:
        """Raises BalanceTooLarge if a balance would exceed 63 bits; nothing has changed then."""
        changed: list[tuple[CurrencyBalances, int, int]] = []
        for entry in transaction.entries:
            ledger_account = entry.ledger_account
            if ledger_account.account_id is None:
                continue
            balances = self.balances(ledger_account.account_id, ledger_account.currency)
            in_main = ledger_account.kind is LedgerAccountKind.MAIN
            changed.append((balances, entry.amount_nano if in_main else 0, 0 if in_main else entry.amount_nano))
        if any(max(abs(b.main_nano + main), abs(b.income_nano + income)) > MAX_NANO for b, main, income in changed):
            raise BalanceTooLarge
        for balances, main, income in changed:
            balances.move(main, income)
        self.transactions.append(transaction)

    def owe(self, debt: Debt) -> None:
        """Records a debt; the caller also posts it to UNCOLLECTED."""
        balances = self.balances(debt.payer_account_id, debt.currency)
        balances.owed_nano += debt.open_nano
        balances.touched = True
        self.new_debts.append(debt)

    def pay_debts(self, now: datetime) -> None:
        """Pays debts with the money that the payer has by now. Raises BalanceTooLarge."""
        if not self._debts:
            return
        balances = self.balances(self._debts[0].payer_account_id, self._debts[0].currency)
        paid = pay(self._debts, balances.payable_nano, now)
        if paid:
            transaction, payments = paid
            self.post(transaction)
            balances.owed_nano -= sum(payment.paid_nano for payment in payments)
            balances.touched = True
            self.payments += payments

    def want_unused(self, account_id: int, currency: Currency) -> None:
        """Asks the gates to return what they hold of the account's money and do not use."""
        balances = self.balances(account_id, currency)
        balances.unused_wanted = balances.moved = balances.touched = True

    def hold(self, account_id: int, currency: Currency, change_nano: int) -> None:
        if change_nano:
            balances = self.balances(account_id, currency)
            balances.held_nano += change_nano
            balances.touched = True
