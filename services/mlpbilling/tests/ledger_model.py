"""A minimal model of the money rules, with which the state machine compares the service."""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from mlplace_contracts.events import UsageRecorded

Place = tuple[int, str]  # account, currency


@dataclass
class Held:
    payer: int
    currency: str
    model: int
    money: int
    free: int
    ends_at: float
    late_end: float
    spent: int = 0
    spent_free: int = 0
    told: int = 0
    told_free: int = 0

    def keep(self, more: tuple[int, int]) -> None:
        """Frees all but what the gate reported as spent and no usage has taken yet, plus `more`."""
        self.money = min(self.money, max(0, self.told + more[0] - self.spent))
        self.free = min(self.free, max(0, self.told_free + more[1] - self.spent_free))


@dataclass
class Owed:
    payer: int
    owner: int
    currency: str
    money: int
    fee: int


@dataclass
class LedgerModel:
    """One calendar month, with credit for accounts in `unblockable`. `commission` in basis points; times in seconds."""

    credit: int
    commission: int
    usable: float
    expiry: float
    settle: float
    main: dict[Place, int] = field(default_factory=lambda: defaultdict(int))
    income: dict[Place, int] = field(default_factory=lambda: defaultdict(int))
    fees: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    debts: list[Owed] = field(default_factory=list)
    held: dict[uuid.UUID, Held] = field(default_factory=dict)
    free_used: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    unblockable: set[int] = field(default_factory=set)
    charged: set[uuid.UUID] = field(default_factory=set)

    def held_money(self, account: int, currency: str) -> int:
        return sum(h.money for h in self.held.values() if (h.payer, h.currency) == (account, currency))

    def held_free(self, payer: int, model: int) -> int:
        return sum(h.free for h in self.held.values() if (h.payer, h.model) == (payer, model))

    def owed(self, payer: int, currency: str) -> int:
        return sum(debt.money for debt in self.debts if (debt.payer, debt.currency) == (payer, currency))

    def blocked(self, account: int) -> bool:
        below = any(money < 0 for (owner, _), money in self.main.items() if owner == account)
        return below and account not in self.unblockable

    def refill(self, account: int, currency: str, money: int) -> None:
        """Adds money. The part that reduces a negative balance pays debts, in their order."""
        hole = max(0, -self.main[account, currency])
        self.main[account, currency] += money
        left = min(hole, money)
        for debt in self.debts:
            if (debt.payer, debt.currency) == (account, currency) and debt.money:
                paid = min(left, debt.money)
                left -= paid
                fee = debt.fee * paid // debt.money
                debt.money -= paid
                debt.fee -= fee
                self.income[debt.owner, currency] += paid - fee
                self.fees[currency] += fee
        self.debts = [debt for debt in self.debts if debt.money]

    def move_income(self, account: int, currency: str, money: int) -> str | None:
        if money > self.income[account, currency]:
            return "refused"
        self.income[account, currency] -= money
        self.refill(account, currency, money)
        return None

    def reserve(
        self,
        now: float,
        key: uuid.UUID,
        payer: int,
        currency: str,
        model: int,
        money: tuple[int, int],
        free: tuple[int, int],
    ) -> tuple[int, int] | str:
        """Returns what is granted, or the reason of a refusal.

        `money` is minimum and wanted; `free` is quota and wanted.
        """
        if self.blocked(payer):
            return "blocked"
        credit = self.credit if payer in self.unblockable else 0
        available = self.main[payer, currency] - self.held_money(payer, currency) + credit
        left = free[0] - self.free_used[payer, model] - self.held_free(payer, model)
        units = max(0, min(free[1], left))
        if available >= money[0]:
            granted = max(money[0], min(money[1], available // 8))
        elif units:
            granted = 0
        else:
            return "poor"
        self.held[key] = Held(
            payer, currency, model, granted, units, now + self.expiry, now + self.usable + self.settle
        )
        return granted, units

    def release(self, now: float, key: uuid.UUID, told: tuple[int, int], in_progress: tuple[int, int]) -> None:
        """Each argument is a pair of money and free units."""
        held = self.held[key]
        held.told, held.told_free = told
        held.keep(in_progress)
        if held.money or held.free:
            held.ends_at = now + self.expiry if any(in_progress) else held.late_end

    def expire(self, now: float) -> None:
        for held in self.held.values():
            if held.late_end <= now and held.ends_at <= now:
                held.money = held.free = 0
            elif held.ends_at <= now:
                held.keep((0, 0))
                held.ends_at = held.late_end

    def charge(self, usages: Iterable[UsageRecorded]) -> None:
        for usage in usages:
            if usage.usage_id in self.charged:
                continue
            self.charged.add(usage.usage_id)
            if usage.payer_account_id != usage.model_account_id and usage.amount_nano:
                self._charge(usage)

    def _charge(self, usage: UsageRecorded) -> None:
        payer, currency = usage.payer_account_id, usage.currency
        held = self.held.get(usage.reservation_id) if usage.reservation_id else None
        if held and (held.payer, held.currency, held.model) != (payer, currency, usage.model_id):
            held = None
        free = min(usage.units, held.free) if held else 0
        price = usage.amount_nano - free * usage.unit_price_nano
        if held:
            held.free -= free
            held.money -= min(held.money, price)
            held.spent += price
            held.spent_free += free
        self.free_used[payer, usage.model_id] += free
        self._move(payer, usage.model_account_id, currency, price)

    def _move(self, payer: int, owner: int, currency: str, price: int) -> None:
        there = max(0, min(price, self.main[payer, currency]))
        whole_fee = price * self.commission // 10_000
        fee = whole_fee * there // price if price else 0
        self.main[payer, currency] -= price
        self.income[owner, currency] += there - fee
        self.fees[currency] += fee
        if there < price:
            self.debts.append(Owed(payer, owner, currency, price - there, whole_fee - fee))
