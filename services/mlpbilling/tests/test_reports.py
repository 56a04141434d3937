from datetime import UTC, datetime, timedelta

import httpx
import pytest

from mlpbilling.features.usage.periods import ReportPeriod, span_of
from mlplace_contracts.events import AccountChanged, ModelBilling, ModelChanged, ModelPublicity, ModelTimeouts
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import NANO, Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.identities import Identities

from .conftest import Harness, usage_of

BASE = "/api/mlpbilling/account"


def account(account_id: int, name: str, *, version: int = 1) -> AccountChanged:
    return AccountChanged(
        version=version,
        account_id=account_id,
        short_name=name,
        display_name=name.title(),
        owner_user_id=1,
        email="a@example.org",
        language="RU",
        active=True,
    )


def model(model_id: int, name: str) -> ModelChanged:
    return ModelChanged(
        version=1,
        account_id=2,
        model_id=model_id,
        account_name="acme",
        model_name=name,
        task_type="ner",
        active=True,
        prototype=False,
        fittable=False,
        composite=False,
        hosting_type="EXTERNAL",
        reject_if_inactive=False,
        timeouts=ModelTimeouts(pod_start=1, predict=1, fit=1),
        billing=ModelBilling(
            enabled=True, unit=BillingUnit.CALLS, unit_price_nano=1, currency=Currency.RUBLE, free_unit_quota=0
        ),
        publicity=ModelPublicity(is_public=True, hidden=False, public_testing_allowed=False),
    )


class TestCallOrigins:
    async def test_origins_tell_calls_in_the_browser_from_calls_with_a_key(
        self, harness: Harness, client: httpx.AsyncClient, identities: Identities, clock: ManualClock
    ) -> None:
        headers = identities.user(identities.account(1, "one"))
        path = f"{BASE}/1/call-origins"
        assert (await client.get(path, headers=headers)).json() == {"lastBySession": None, "lastByKey": None}
        first, second = (datetime(2026, 5, 1, hour, 0, tzinfo=UTC) for hour in (10, 11))
        await harness.charge(usage_of(clock, 0, payer_key_id=None, at=first))
        assert (await client.get(path, headers=headers)).json() == {
            "lastBySession": "2026-05-01T10:00:00Z",
            "lastByKey": None,
        }
        await harness.charge(usage_of(clock, 0, payer_key_id=7, at=second))
        await harness.charge(usage_of(clock, 0, payer=3, payer_key_id=9, at=second + timedelta(hours=1)))
        assert (await client.get(path, headers=headers)).json() == {
            "lastBySession": "2026-05-01T10:00:00Z",
            "lastByKey": "2026-05-01T11:00:00Z",
        }


class TestKeySpending:
    async def test_key_spending_counts_charges_of_one_key_since_a_time(
        self, harness: Harness, client: httpx.AsyncClient, identities: Identities, clock: ManualClock
    ) -> None:
        for currency in Currency:
            await harness.refill(1, 100 * NANO, currency)
        moment = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)
        before = datetime(2026, 5, 1, 9, 59, 59, tzinfo=UTC)
        await harness.charge(
            usage_of(clock, 2 * NANO, at=moment),
            usage_of(clock, 3, at=moment, currency="TOKEN"),
            usage_of(clock, 5 * NANO, at=before),
            usage_of(clock, 7 * NANO, at=moment, payer_key_id=8),
            usage_of(clock, 11 * NANO, at=moment, payer_key_id=None),
            usage_of(clock, 13 * NANO, at=moment, owner=1),
        )
        url = "/internal/mlpbilling/usage/key-spending"
        for key, currency, spent in ((7, "RUBLE", 2 * NANO), (7, None, 2 * NANO + 3), (9, "RUBLE", 0)):
            body = {"payer_account_id": 1, "key_id": key, "currency": currency, "since": moment.isoformat()}
            answer = await client.post(url, json=body, headers=identities.internal)
            assert answer.json() == {"spent_nano": spent}
        assert (await client.post(url, json=body)).status_code == 401


@pytest.fixture
async def used(harness: Harness, clock: ManualClock) -> None:
    """Account 1 calls models of account 2 on two days of May 2026; accounts 3 and 2 call too; a tenth is commission."""
    await harness.know(account(1, "one"), model(20, "ner-renamed"))
    for payer, currency in ((1, Currency.RUBLE), (1, Currency.TOKEN), (3, Currency.RUBLE)):
        await harness.refill(payer, 100 * NANO, currency)
    await harness.with_settings(commission_basis_points=1000).charge(
        usage_of(clock, 10 * NANO, at=datetime(2026, 5, 1, 10, 59, tzinfo=UTC)),
        usage_of(clock, NANO // 3, at=datetime(2026, 5, 1, 10, 0, tzinfo=UTC)),
        usage_of(clock, NANO, at=datetime(2026, 5, 31, 23, 59, 59, tzinfo=UTC), model_id=21, model_name="tts"),
        usage_of(clock, NANO, at=datetime(2026, 6, 1, tzinfo=UTC)),
        usage_of(clock, NANO, at=datetime(2026, 5, 2, tzinfo=UTC), payer=3),
        usage_of(clock, NANO, at=datetime(2026, 5, 2, tzinfo=UTC), payer=2),
        usage_of(clock, NANO, at=datetime(2026, 5, 2, tzinfo=UTC), currency="TOKEN"),
    )


async def read(client: httpx.AsyncClient, identities: Identities, path: str, owner: int, query: str) -> object:
    headers = identities.user(identities.account(owner, f"account-{owner}"))
    answer = await client.get(f"{BASE}/{owner}/{path}?{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.usefixtures("used")
class TestDetails:
    async def test_spending_of_a_month_is_reported_by_day_and_model(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        found = await read(client, identities, "details/spending", 1, "period=MONTH&date=2026-05-17")
        common = {"sourceType": "MODEL", "modelAccountId": 2}
        assert found == {
            "total": 11.33,
            "items": [
                {
                    **common,
                    "date": "2026-05-01T00:00:00Z",
                    "modelId": 20,
                    "name": "ner-renamed",
                    "callsCount": 2,
                    "units": 2,
                    "reportedUnits": 2,
                    "amountCurrency": 10.33,
                },
                {
                    **common,
                    "date": "2026-05-31T00:00:00Z",
                    "modelId": 21,
                    "name": "tts",
                    "callsCount": 1,
                    "units": 1,
                    "reportedUnits": 1,
                    "amountCurrency": 1.0,
                },
            ],
        }

    @pytest.mark.parametrize(
        ("query", "dates", "total"),
        [
            ("period=HOUR&date=2026-05-01T10:30:00Z", ["2026-05-01T10:00:00Z"], 9.3),
            ("period=DAY&date=2026-05-01", ["2026-05-01T10:00:00Z"], 9.3),
            (
                "period=YEAR&date=2026-12-31",
                ["2026-05-01T00:00:00Z", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"],
                12.0,
            ),
            ("period=DAY&date=2026-05-03", [], 0.0),
        ],
    )
    async def test_income_is_reported_after_commission(
        self, client: httpx.AsyncClient, identities: Identities, query: str, dates: list[str], total: float
    ) -> None:
        found = await read(client, identities, "details/income", 2, query)
        assert isinstance(found, dict)
        assert ([item["date"] for item in found["items"]], found["total"]) == (dates, total)


@pytest.mark.usefixtures("used")
class TestReports:
    async def test_income_by_model_is_sorted_by_amount(self, client: httpx.AsyncClient, identities: Identities) -> None:
        assert await read(client, identities, "report/income/models", 2, "period=MONTH&date=2026-05-01") == [
            {"modelId": 20, "modelName": "ner-renamed", "callsCount": 3, "amountCurrency": 10.2},
            {"modelId": 21, "modelName": "tts", "callsCount": 1, "amountCurrency": 0.9},
        ]

    async def test_income_by_payer_has_names_of_known_accounts(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        assert await read(client, identities, "report/income/payers", 2, "period=MONTH&date=2026-05-01") == [
            {"accountId": 1, "accountName": "One", "callsCount": 3, "amountCurrency": 10.2},
            {"accountId": 3, "accountName": "3", "callsCount": 1, "amountCurrency": 0.9},
        ]


class TestSpan:
    @pytest.mark.parametrize(
        ("period", "date", "start", "end"),
        [
            (ReportPeriod.HOUR, "2026-03-29T01:30:00+03:00", "2026-03-28T22", "2026-03-28T23"),
            (ReportPeriod.DAY, "2028-02-29", "2028-02-29T00", "2028-03-01T00"),
            (ReportPeriod.MONTH, "2026-12-31", "2026-12-01T00", "2027-01-01T00"),
            (ReportPeriod.MONTH, "2028-02-10", "2028-02-01T00", "2028-03-01T00"),
            (ReportPeriod.YEAR, None, "2026-01-01T00", "2027-01-01T00"),
        ],
    )
    def test_the_span_contains_the_date(self, period: ReportPeriod, date: str | None, start: str, end: str) -> None:
        span = span_of(period, date, datetime(2026, 7, 1, 12, tzinfo=UTC))
        assert (span.start.strftime("%Y-%m-%dT%H"), span.end.strftime("%Y-%m-%dT%H")) == (start, end)

    @pytest.mark.parametrize(
        "date", ["yesterday", "2026-02-30", "0001-01-01T00:00:00+14:00", "9999-12-31", "1999-01-01"]
    )
    def test_invalid_dates_are_refused(self, date: str) -> None:
        with pytest.raises(ValidationFailed):
            span_of(ReportPeriod.YEAR, date, datetime(2026, 7, 1, tzinfo=UTC))


class TestDirectory:
    async def test_an_older_event_does_not_restore_a_former_name(self, harness: Harness) -> None:
        await harness.know(account(1, "new", version=5))
        await harness.know(account(1, "old", version=4))
        assert await harness.query("SELECT short_name FROM known_account") == [("new",)]
