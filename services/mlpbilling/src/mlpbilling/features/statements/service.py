from collections.abc import Collection
from datetime import timedelta
from typing import cast

from mlpbilling.features.refills.orders import RefillSource
from mlpbilling.features.statements.days import Days
from mlpbilling.features.statements.entries import CallFilter, EntryRepository, RentFilter
from mlpbilling.features.statements.movements import Direction, Scope, Split
from mlpbilling.features.statements.repository import REST, DayAmount, StatementRepository, Sums
from mlpbilling.features.statements.schemas import (
    BalanceChange,
    BalanceForecast,
    CallPage,
    CallRow,
    ItemKind,
    RentPage,
    RentRow,
    Statement,
    StatementDay,
    StatementItem,
)
from mlpbilling.features.usage.ports import KnownNames
from mlplace_kit.clock import Clock
from mlplace_kit.money import Currency, exact
from mlplace_kit.pagination import PageRequest, Pagination

_PACE = timedelta(days=7)
_SHORTEST = timedelta(days=1)
_NONE = Sums(0, 0)


class StatementReader:
    """What an account spent or earned by day, the calls and rents behind it, and how long its money lasts."""

    def __init__(
        self,
        repository: StatementRepository,
        entries: EntryRepository,
        directory: KnownNames,
        clock: Clock,
        currency: Currency,
    ) -> None:
        self._repository = repository
        self._entries = entries
        self._directory = directory
        self._clock = clock
        self._currency = currency

    async def statement(self, *, account_id: int, direction: Direction, split: Split, days: Days) -> Statement:
        scope = self._scope(account_id, direction, days)
        await self._repository.freeze()
        found = await self._repository.days(scope, split)
        change = await self._balance_change(scope)
        rows = _by_item(found)
        accounts = {row.account_id for row in found}
        account_names = await self._directory.account_names(accounts)
        model_names = await self._directory.model_names({row.id for row in found if row.kind == "MODEL"})
        places = {key: index for index, key in enumerate(rows)}
        return Statement(
            direction=direction,
            split=split,
            first=days.first,
            last=days.last,
            time_zone="UTC",
            currency=self._currency,
            total=exact(sum(row.amount_nano for row in found)),
            items=[_item(own, account_names, model_names) for own in rows.values()],
            days=[
                StatementDay(day=row.day, item=places[_key(row)], calls_count=row.calls, amount=exact(row.amount_nano))
                for row in found
            ],
            balance_change=change,
        )

    async def _balance_change(self, scope: Scope) -> BalanceChange:
        calls, rents = await self._repository.sums(scope)
        refills = await self._repository.refills(scope)
        now = await self._repository.balance(
            account_id=scope.account_id, currency=scope.currency, direction=scope.direction
        )
        moved = refills.pop(RefillSource.REFILL_FROM_INCOME, _NONE)
        bonuses = refills.pop(RefillSource.WELCOME_BONUS, _NONE)
        others = list(refills.values())
        spends = scope.direction is Direction.SPENDING
        if not spends:
            bonuses, others = _NONE, []
        sign = -1 if spends else 1
        figures = [
            *((sign * sums.within_nano, sign * sums.after_nano) for sums in (calls, rents)),
            (sum(one.within_nano for one in others), sum(one.after_nano for one in others)),
            (bonuses.within_nano, bonuses.after_nano),
            (-sign * moved.within_nano, -sign * moved.after_nano),
        ]
        closing = now - sum(after for _, after in figures)
        opening = closing - sum(within for within, _ in figures)
        of_calls, of_rents, refilled, given, from_income = (exact(within) for within, _ in figures)
        return BalanceChange(
            opening=exact(opening),
            calls=of_calls,
            hosting=of_rents,
            refills=refilled,
            bonuses=given,
            from_income=from_income,
            closing=exact(closing),
        )

    async def calls(
        self, *, account_id: int, direction: Direction, days: Days, wanted: CallFilter, page: PageRequest
    ) -> CallPage:
        found, count, total = await self._entries.calls(self._scope(account_id, direction, days), wanted, page)
        models = await self._directory.model_names({row.model_id for row in found})
        names = await self._directory.account_names({row.payer_account_id for row in found})
        return CallPage(
            total=exact(total),
            records=[
                CallRow(
                    usage_id=row.usage_id,
                    date=row.occurred_at,
                    request_id=row.request_id if direction is Direction.SPENDING else None,
                    operation=row.operation,
                    model_account_id=row.model_account_id,
                    model_id=row.model_id,
                    model_name=models.get(row.model_id, row.model_name),
                    payer_account_id=row.payer_account_id,
                    payer_name=names.get(row.payer_account_id, str(row.payer_account_id)),
                    key_id=row.payer_key_id if direction is Direction.SPENDING else None,
                    units=row.units,
                    amount=exact(row.amount_nano),
                )
                for row in found
            ],
            paging=Pagination.of(page, count),
        )

    async def rents(
        self, *, account_id: int, direction: Direction, days: Days, wanted: RentFilter, page: PageRequest
    ) -> RentPage:
        found, count, total = await self._entries.rents(self._scope(account_id, direction, days), wanted, page)
        accounts: Collection[int] = {id_ for row in found for id_ in (row.owner_account_id, row.payer_account_id)}
        names = await self._directory.account_names(accounts)
        rows = [
            RentRow.model_validate(
                {
                    "charge_id": row.charge_id,
                    "period_start": row.period_start,
                    "period_end": row.period_end,
                    "periods": row.periods,
                    "source_type": row.source_type,
                    "source_name": row.source_name,
                    "owner_id": row.owner_account_id,
                    "owner_name": names.get(row.owner_account_id, str(row.owner_account_id)),
                    "payer_account_id": row.payer_account_id,
                    "payer_name": names.get(row.payer_account_id, str(row.payer_account_id)),
                    "amount": exact(row.amount_nano),
                }
            )
            for row in found
        ]
        return RentPage(total=exact(total), records=rows, paging=Pagination.of(page, count))

    async def forecast(self, *, account_id: int) -> BalanceForecast:
        now = self._clock.now()
        await self._repository.freeze()
        first = await self._repository.first_spending(account_id=account_id, currency=self._currency)
        since = max(now - _PACE, first) if first else now - _PACE
        scope = Scope(account_id, self._currency, Direction.SPENDING, since, now)
        calls, _ = await self._repository.sums(scope)
        hosting = await self._repository.rent_in(scope)
        main = await self._repository.balance(
            account_id=account_id, currency=self._currency, direction=Direction.SPENDING
        )
        length, day = now - since, timedelta(days=1)
        spent = calls.within_nano + hosting
        known = spent > 0 and main > 0 and length >= _SHORTEST
        micro, micro_of_day = length // timedelta.resolution, day // timedelta.resolution
        return BalanceForecast(
            since=since,
            until=now,
            calls=exact(calls.within_nano),
            hosting=exact(hosting),
            per_day=exact(spent * micro_of_day // micro if micro else 0),
            enough_for_days=main * micro // (spent * micro_of_day) if known else None,
        )

    def _scope(self, account_id: int, direction: Direction, days: Days) -> Scope:
        return Scope(account_id, self._currency, direction, days.start, days.end)


_Key = tuple[str, int, int, str]


def _key(row: DayAmount) -> _Key:
    return row.kind, row.id, row.account_id, row.label


def _by_item(found: Collection[DayAmount]) -> dict[_Key, list[DayAmount]]:
    """Returns the rows of each item, largest item first, the rest last."""
    rows: dict[_Key, list[DayAmount]] = {}
    for row in found:
        rows.setdefault(_key(row), []).append(row)
    order = sorted(rows, key=lambda key: (key[0] == REST, -sum(row.amount_nano for row in rows[key]), key))
    return {key: rows[key] for key in order}


def _item(own: list[DayAmount], accounts: dict[int, str], models: dict[int, str]) -> StatementItem:
    one = own[0]
    name = one.name
    if one.kind == "MODEL":
        name = models.get(one.id, max(row.name for row in own))
    elif one.kind == "ACCOUNT":
        name = accounts.get(one.id, str(one.id))
    return StatementItem(
        kind=cast("ItemKind", one.kind),
        id=one.id or None,
        account_id=one.account_id or None,
        account_name=accounts.get(one.account_id),
        name=name,
        calls_count=sum(row.calls for row in own),
        amount=exact(sum(row.amount_nano for row in own)),
    )
