"""Tests statements: figures of calls, rents and balances fit together exactly, and show nothing of others."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from mlpbilling.features.refills.orders import RefillSource
from mlpbilling.features.rents.loops import charge_rents
from mlpbilling.features.statements.days import days_of
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import NANO, Currency
from mlplace_testing.identities import Identities

from .conftest import Harness, usage_of
from .test_rents import learn, rent
from .test_reports import account, model

BASE = "/api/mlpbilling/account"
MAY = "first=2026-05-01&last=2026-05-31"
CHANGES = ("calls", "hosting", "refills", "bonuses", "fromIncome")


def at(day: int, hour: int = 12, month: int = 5) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


def go(clock: ManualClock, moment: datetime) -> None:
    clock.advance(moment - clock.now())


async def read(client: httpx.AsyncClient, identities: Identities, path: str, owner: int = 1) -> Any:
    headers = identities.user(identities.account(owner, f"account-{owner}"))
    answer = await client.get(f"{BASE}/{owner}/{path}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def fits(statement: Any) -> None:
    """Checks that all sums of a statement are equal, and explain the balance."""
    items, days, change = statement["items"], statement["days"], statement["balanceChange"]
    total = Decimal(statement["total"])
    assert sum((Decimal(item["amount"]) for item in items), Decimal()) == total
    assert sum((Decimal(day["amount"]) for day in days), Decimal()) == total
    for index, item in enumerate(items):
        own = [day for day in days if day["item"] == index]
        assert sum((Decimal(day["amount"]) for day in own), Decimal()) == Decimal(item["amount"])
        assert sum(day["callsCount"] for day in own) == item["callsCount"]
    assert abs(Decimal(change["calls"]) + Decimal(change["hosting"])) == total
    moved = sum((Decimal(change[name]) for name in CHANGES), Decimal())
    assert Decimal(change["opening"]) + moved == Decimal(change["closing"])


def items_of(statement: Any) -> list[tuple[Any, ...]]:
    return [(item["kind"], item["id"], item["name"], item["callsCount"], item["amount"]) for item in statement["items"]]


@pytest.fixture
async def spent(harness: Harness, clock: ManualClock) -> None:
    """In May, account 1 calls two models of account 2 with a key and without one, and rents a group of it.

    Account 3 does it too; a tenth is commission.
    """
    harness = harness.with_settings(commission_basis_points=1000)
    await harness.know(account(1, "one"), account(2, "two"), account(3, "three"), model(20, "ner-renamed"))
    go(clock, at(30, month=4))
    for payer in (1, 3):
        await harness.refill(payer, 100 * NANO)
    await harness.charge(usage_of(clock, 7 * NANO))
    go(clock, at(10))
    await harness.refill(1, 5 * NANO, source=RefillSource.WELCOME_BONUS)
    await learn(harness, rent(clock, period="DAY", price_nano=2 * NANO + 1))
    await learn(harness, rent(clock, rent_id=8, payer_account_id=3, period="MONTH"))
    go(clock, at(12))
    await charge_rents(harness.state)
    await harness.charge(
        usage_of(clock, NANO // 3, at=at(10)),
        usage_of(clock, 10 * NANO, at=at(10, 23)),
        usage_of(clock, 3 * NANO, at=at(11, 0), model_id=21, model_name="tts", payer_key_id=None),
        usage_of(clock, NANO, at=at(11), payer=3),
        usage_of(clock, NANO, at=at(11), payer=1, owner=1),
    )
    go(clock, at(2, month=6))
    await harness.refill(1, NANO)
    await harness.charge(usage_of(clock, 4 * NANO))
    await charge_rents(harness.state)


@pytest.mark.usefixtures("spent")
class TestSpending:
    async def test_items_days_total_and_balance_fit_exactly(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness
    ) -> None:
        found = await read(client, identities, f"statement?{MAY}")
        fits(found)
        assert items_of(found) == [
            ("RESOURCE_GROUP", None, "gpu", 0, "48.000000024"),
            ("MODEL", 20, "ner-renamed", 2, "10.333333333"),
            ("MODEL", 21, "tts", 1, "3"),
        ]
        assert (found["timeZone"], found["items"][1]["accountName"]) == ("UTC", "Two")
        assert [(day["day"], day["amount"]) for day in found["days"] if day["item"] == 1] == [
            ("2026-05-10", "10.333333333")
        ]
        assert found["balanceChange"] == {
            "opening": "93",
            "calls": "-13.333333333",
            "hosting": "-48.000000024",
            "refills": "0",
            "bonuses": "5",
            "fromIncome": "0",
            "closing": "36.666666643",
        }

    async def test_the_balance_at_the_end_is_the_balance(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness
    ) -> None:
        found = await read(client, identities, "statement?first=2026-04-01&last=2026-06-30")
        fits(found)
        main, _, _ = await harness.money(1)
        change = found["balanceChange"]
        assert (change["opening"], Decimal(change["closing"]) * NANO) == ("0", main)

    async def test_by_payer_it_is_split_by_key(self, client: httpx.AsyncClient, identities: Identities) -> None:
        found = await read(client, identities, f"statement?{MAY}&split=PAYER")
        fits(found)
        assert items_of(found) == [
            ("HOSTING", None, "", 0, "48.000000024"),
            ("KEY", 7, "", 2, "10.333333333"),
            ("KEY", None, "", 1, "3"),
        ]

    async def test_a_day_without_anything_is_empty(self, client: httpx.AsyncClient, identities: Identities) -> None:
        found = await read(client, identities, "statement?first=2026-05-01&last=2026-05-01")
        assert (found["items"], found["days"], found["total"]) == ([], [], "0")
        assert found["balanceChange"]["opening"] == found["balanceChange"]["closing"] == "93"


@pytest.mark.usefixtures("spent")
class TestIncome:
    async def test_by_payer_it_is_what_came_in(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness
    ) -> None:
        found = await read(client, identities, f"statement?{MAY}&direction=INCOME&split=PAYER", owner=2)
        fits(found)
        assert items_of(found) == [
            ("ACCOUNT", 1, "One", 3, "55.200000022"),
            ("ACCOUNT", 3, "Three", 1, "1.8"),
        ]

    async def test_its_balance_is_the_income_with_what_was_moved(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.spend_income(2, 3 * NANO)
        found = await read(client, identities, "statement?first=2026-04-01&last=2026-06-30&direction=INCOME", owner=2)
        fits(found)
        main, income, _ = await harness.money(2)
        change = found["balanceChange"]
        assert (change["opening"], Decimal(change["closing"]) * NANO, change["fromIncome"]) == ("0", income, "-3")
        spending = await read(client, identities, "statement?first=2026-04-01&last=2026-06-30", owner=2)
        assert Decimal(spending["balanceChange"]["fromIncome"]) * NANO == main

    async def test_a_debt_counts_once_it_is_paid(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.charge(usage_of(clock, 10 * NANO, payer=4, owner=5))
        query = "statement?first=2026-06-01&last=2026-06-30&direction=INCOME"
        before = await read(client, identities, query, owner=5)
        await harness.refill(4, 6 * NANO)
        after = await read(client, identities, query, owner=5)
        fits(after)
        assert (before["total"], after["total"], after["balanceChange"]["closing"]) == ("0", "6", "6")
        assert (await read(client, identities, f"{query}&split=SERVICE", owner=4))["items"] == []


@pytest.mark.usefixtures("spent")
class TestEntries:
    async def test_each_figure_is_the_sum_of_its_calls_or_rents(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        for query, owner in (("", 1), ("&direction=INCOME", 2), ("&split=PAYER", 1), ("&direction=INCOME", 3)):
            found = await read(client, identities, f"statement?{MAY}{query}", owner)
            for index, item in enumerate(found["items"]):
                for day in [None, *(day for day in found["days"] if day["item"] == index)]:
                    days = f"first={day['day']}&last={day['day']}" if day else MAY
                    path = {
                        "MODEL": f"calls?modelId={item['id']}",
                        "KEY": f"calls?keyId={item['id'] or 0}",
                        "HOSTING": "rents?",
                        "RESOURCE_GROUP": f"rents?sourceType=RESOURCE_GROUP&sourceName=gpu&ownerId={item['accountId']}",
                    }[item["kind"]]
                    page = await read(client, identities, f"statement/{path}&{days}{query}&size=1", owner)
                    wanted = day or item
                    assert page["total"] == wanted["amount"], path
                    if path.startswith("calls"):
                        assert page["paging"]["totalElements"] == wanted["callsCount"]

    async def test_pages_are_newest_first(self, client: httpx.AsyncClient, identities: Identities) -> None:
        pages = [await read(client, identities, f"statement/calls?{MAY}&size=2&page={page}") for page in (0, 1)]
        amounts = [[row["amount"] for row in page["records"]] for page in pages]
        assert amounts == [["3", "10"], ["0.333333333"]]
        assert pages[0]["paging"] == {"totalElements": 3, "totalPages": 2, "pageNumber": 0, "pageSize": 2}
        row = pages[0]["records"][1]
        assert (row["modelName"], row["keyId"], row["requestId"]) == ("ner-renamed", 7, "r")

    async def test_an_owner_sees_neither_request_ids_nor_keys(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        page = await read(client, identities, f"statement/calls?{MAY}&direction=INCOME&payerAccountId=3", owner=2)
        [row] = page["records"]
        assert (row["payerName"], row["amount"], row["requestId"], row["keyId"]) == ("Three", "0.9", None, None)

    async def test_others_calls_are_not_listed(self, client: httpx.AsyncClient, identities: Identities) -> None:
        for path in ("calls?payerAccountId=1", "calls?modelId=20", "rents?payerAccountId=1", "rents?ownerId=2"):
            page = await read(client, identities, f"statement/{path}&{MAY}", owner=9)
            assert (page["records"], page["total"]) == ([], "0")


class TestManyItems:
    async def test_the_smallest_are_summed_up(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        go(clock, at(20))
        await harness.refill(1, 10_000 * NANO)
        await harness.charge(*(usage_of(clock, number * NANO, model_id=number) for number in range(1, 104)))
        found = await read(client, identities, f"statement?{MAY}")
        fits(found)
        assert len(found["items"]) == 101
        assert items_of(found)[-1] == ("REST", None, "", 3, "6")


class TestForecast:
    async def test_it_divides_the_balance_by_the_recent_pace(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        go(clock, at(1))
        await harness.refill(1, 150 * NANO)
        await harness.charge(usage_of(clock, 2 * NANO))
        go(clock, at(11))
        await harness.charge(usage_of(clock, 14 * NANO, at=at(9)))
        await learn(harness, rent(clock, now=at(10), period="DAY", price_nano=20 * NANO))
        await charge_rents(harness.state)
        found = await read(client, identities, "balance/forecast")
        # The second day's rent is paid; of it nothing belongs to the past yet.
        assert (found["calls"], found["hosting"]) == ("14", "20")
        assert (found["since"], found["until"]) == ("2026-05-04T12:00:00Z", "2026-05-11T12:00:00Z")
        assert found["perDay"] == "4.857142857"
        assert found["enoughForDays"] == 94 * 7 // 34

    async def test_a_rent_of_a_month_counts_by_the_day(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        go(clock, at(1, month=4))
        await harness.refill(1, 90 * NANO)
        await learn(harness, rent(clock, period="MONTH", price_nano=30 * NANO))
        await charge_rents(harness.state)
        clock.advance(timedelta(days=12))
        found = await read(client, identities, "balance/forecast")
        assert (found["hosting"], found["perDay"], found["enoughForDays"]) == ("7", "1", 60)

    @pytest.mark.parametrize(("money", "spent", "hours"), [(10, 0, 48), (10, 1, 23), (1, 1, 48)])
    async def test_it_is_unknown_without_spending_history_or_money(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock,
        money: int, spent: int, hours: int,
    ) -> None:  # fmt: skip
        await harness.refill(1, money * NANO)
        if spent:
            await harness.charge(usage_of(clock, spent * NANO))
        clock.advance(timedelta(hours=hours))
        assert (await read(client, identities, "balance/forecast"))["enoughForDays"] is None

    async def test_other_currencies_do_not_count(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, 10 * NANO)
        await harness.refill(1, 10 * NANO, Currency.TOKEN)
        await harness.charge(usage_of(clock, NANO, currency="TOKEN"))
        clock.advance(timedelta(days=2))
        found = await read(client, identities, "balance/forecast")
        assert (found["calls"], found["enoughForDays"]) == ("0", None)


class TestDays:
    def test_thirty_days_until_today_are_the_default(self) -> None:
        days = days_of(None, None, at(30))
        assert (days.first.isoformat(), days.last.isoformat()) == ("2026-05-01", "2026-05-30")
        assert (days.start, days.end) == (at(1, 0), at(31, 0))

    @pytest.mark.parametrize(
        ("first", "last", "field"),
        [(2, 1, "first"), (None, -365 * 100, "last"), (-366, 0, "first"), (None, 365 * 100, "last")],
    )
    def test_impossible_days_are_refused(self, first: int | None, last: int, field: str) -> None:
        today = at(1).date()
        days = [None if day is None else today + timedelta(days=day) for day in (first, last)]
        with pytest.raises(ValidationFailed) as refused:
            days_of(days[0], days[1], at(1))
        assert set(refused.value.fields) == {field}

    @pytest.mark.parametrize("query", ["first=tomorrow", "last=2026-02-30", "direction=BOTH", "split=DAY"])
    async def test_an_invalid_query_is_refused(
        self, client: httpx.AsyncClient, identities: Identities, query: str
    ) -> None:
        headers = identities.user(identities.account(1, "one"))
        answer = await client.get(f"{BASE}/1/statement?{query}", headers=headers)
        assert (answer.status_code, set(answer.json()["args"])) == (400, {query.split("=", maxsplit=1)[0]})
