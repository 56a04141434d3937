"""Tests the welcome bonus: once per person, and always limited."""

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import httpx
import pytest
from fastapi import FastAPI

from mlplace_contracts.internal.people import PersonAnswer
from mlplace_kit.clock import ManualClock
from mlplace_testing.identities import Identities

from .conftest import Harness, SomePeople

BASE = "/api/mlpbilling/account"


def _browser(app: FastAPI, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app, client=(address, 50_000))
    return httpx.AsyncClient(transport=transport, base_url="http://testserver")


class Claimants:
    """Users who own the accounts 101, 102, 103 ... They get their ids in the order of their first claims."""

    def __init__(self, app: FastAPI, identities: Identities) -> None:
        self._app = app
        self._identities = identities
        self._headers: dict[int, dict[str, str]] = {}

    async def claim(self, key: int, address: str = "192.0.2.1") -> str:
        """Returns "" on success, else the code of the error."""
        headers = self._headers.get(key) or self._identities.user(self._identities.account(100 + key, f"acc{key}"))
        self._headers[key] = headers
        user_id = int(headers["Cookie"].partition(";")[0].rpartition("-")[2])
        async with _browser(self._app, address) as client:
            answer = await client.post(f"{BASE}/{100 + key}/user/{user_id}/refill/welcome-bonus", headers=headers)
        return answer.json()["code"].removeprefix("mlp.billing.welcome_bonus_") if answer.content else ""


@pytest.fixture
def people(harness: Harness) -> SomePeople:
    assert isinstance(harness.state.people, SomePeople)
    return harness.state.people


@pytest.fixture
def claimants(app: FastAPI, identities: Identities) -> Claimants:
    return Claimants(app, identities)


class TestWelcomeBonus:
    async def test_the_bonus_is_given_once_across_all_accounts(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness
    ) -> None:
        headers = identities.user(identities.account(11, "one"), identities.account(12, "two"))
        answers = await asyncio.gather(
            *(client.post(f"{BASE}/{11 + n % 2}/user/1/refill/welcome-bonus", headers=headers) for n in range(8))
        )
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
        refused = next(answer for answer in answers if answer.status_code == 409)
        assert refused.json()["code"] == "mlp.billing.welcome_bonus_taken"
        given = [(await harness.money(account_id))[0] for account_id in (11, 12)]
        assert sorted(given) == [0, 12_500_000_000]
        assert (await harness.verify()).sound

    async def test_an_installation_without_a_bonus_refuses_claims(
        self, identities: Identities, harness: Harness, app: FastAPI
    ) -> None:
        app.state.service = harness.with_settings(welcome_bonus=Decimal(0)).state
        headers = identities.user(identities.account(11, "one"))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            answer = await client.post(f"{BASE}/11/user/1/refill/welcome-bonus", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "mlp.billing.welcome_bonus_off")


class TestOffer:
    async def test_the_bonus_is_offered_until_the_user_has_had_it(
        self, client: httpx.AsyncClient, identities: Identities
    ) -> None:
        headers = identities.user(identities.account(11, "one"))
        path = f"{BASE}/11/user/1/refill/welcome-bonus"
        assert (await client.get(path, headers=headers)).json() == {"offered": True, "amountCurrency": 12.5}
        assert (await client.post(path, headers=headers)).status_code == 200
        assert (await client.get(path, headers=headers)).json() == {"offered": False, "amountCurrency": 0}

    @pytest.mark.parametrize("off", ["welcome_bonus", "welcome_bonus_per_day", "welcome_bonus_per_address_per_day"])
    async def test_nothing_is_offered_where_the_bonus_is_off(
        self, identities: Identities, harness: Harness, app: FastAPI, off: str
    ) -> None:
        app.state.service = harness.with_settings(**{off: Decimal(0)}).state
        headers = identities.user(identities.account(11, "one"))
        async with _browser(app, "192.0.2.1") as client:
            answer = await client.get(f"{BASE}/11/user/1/refill/welcome-bonus", headers=headers)
        assert answer.json() == {"offered": False, "amountCurrency": 0}


class TestPerson:
    async def test_a_claim_needs_a_confirmed_address(
        self, claimants: Claimants, people: SomePeople, harness: Harness
    ) -> None:
        people.persons[1] = PersonAnswer(person="ann", confirmed=False)
        assert await claimants.claim(1) == "unconfirmed"
        people.persons[1] = PersonAnswer(person="ann", confirmed=True)
        assert await claimants.claim(1) == ""
        assert (await harness.money(101))[0] == 12_500_000_000

    async def test_several_users_of_one_person_get_one_bonus(
        self, claimants: Claimants, people: SomePeople, harness: Harness
    ) -> None:
        people.persons = {number: PersonAnswer(person="ann", confirmed=True) for number in range(1, 9)}
        codes = await asyncio.gather(*(claimants.claim(n, f"198.51.100.{n}") for n in range(1, 9)))
        assert sorted(codes) == [""] + ["taken"] * 7
        assert await harness.query("SELECT count(*) FROM refill") == [(1,)]
        assert (await harness.verify()).sound

    async def test_a_changed_address_of_a_user_brings_no_second_bonus(
        self, claimants: Claimants, people: SomePeople
    ) -> None:
        assert await claimants.claim(1) == ""
        people.persons[1] = PersonAnswer(person="somebody-else", confirmed=True)
        assert await claimants.claim(1) == "taken"

    async def test_a_claim_without_accountsadmin_gets_503(
        self, app: FastAPI, harness: Harness, identities: Identities
    ) -> None:
        plain = harness.state
        app.state.service = type(plain)(settings=plain.settings, database=plain.database, clock=plain.clock)
        headers = identities.user(identities.account(11, "one"))
        async with _browser(app, "192.0.2.1") as client:
            answer = await client.post(f"{BASE}/11/user/1/refill/welcome-bonus", headers=headers)
        assert answer.status_code == 503


class TestLimits:
    async def test_concurrent_claims_from_one_address_keep_the_daily_limit(
        self, claimants: Claimants, harness: Harness, clock: ManualClock
    ) -> None:
        codes = await asyncio.gather(*(claimants.claim(n) for n in range(1, 10)))
        assert sorted(codes) == [""] * 3 + ["address_limit"] * 6
        assert await claimants.claim(20, "192.0.2.2") == ""
        refused = next(number for number, code in enumerate(codes, start=1) if code)
        clock.advance(timedelta(days=1))
        assert await claimants.claim(refused) == ""
        assert (await harness.verify()).sound

    async def test_addresses_of_one_ipv6_network_share_a_limit(self, claimants: Claimants) -> None:
        codes = [await claimants.claim(n, f"2001:db8:1:2::{n}") for n in range(1, 6)]
        assert codes == [""] * 3 + ["address_limit"] * 2
        assert await claimants.claim(6, "2001:db8:1:3::1") == ""

    async def test_all_claims_of_a_day_share_a_limit(
        self, app: FastAPI, claimants: Claimants, harness: Harness
    ) -> None:
        app.state.service = harness.with_settings(welcome_bonus_per_day=4).state
        codes = await asyncio.gather(*(claimants.claim(n, f"198.51.100.{n}") for n in range(1, 10)))
        assert sorted(codes) == [""] * 4 + ["day_limit"] * 5

    async def test_a_refusal_does_not_use_up_a_limit(
        self, app: FastAPI, claimants: Claimants, harness: Harness
    ) -> None:
        app.state.service = harness.with_settings(welcome_bonus_per_day=1).state
        assert [await claimants.claim(n) for n in (1, 2, 3, 4)] == ["", "day_limit", "day_limit", "day_limit"]
        app.state.service = harness.with_settings(welcome_bonus_per_day=9).state
        assert [await claimants.claim(n) for n in (2, 3, 4)] == ["", "", "address_limit"]

    @pytest.mark.parametrize("limit", ["welcome_bonus_per_day", "welcome_bonus_per_address_per_day"])
    async def test_a_limit_of_zero_turns_the_bonus_off(
        self, app: FastAPI, claimants: Claimants, harness: Harness, limit: str
    ) -> None:
        app.state.service = harness.with_settings(**{limit: 0}).state
        assert await claimants.claim(1) == "off"

    async def test_a_clock_set_back_over_midnight_does_not_reset_a_limit(
        self, claimants: Claimants, clock: ManualClock
    ) -> None:
        late = datetime.combine(clock.now().date(), datetime.min.time(), UTC) + timedelta(hours=23, minutes=30)
        clock.advance(late - clock.now())
        assert [await claimants.claim(n) for n in range(1, 5)] == ["", "", "", "address_limit"]
        clock.advance(timedelta(hours=1))
        assert [await claimants.claim(n) for n in range(11, 15)] == ["", "", "", "address_limit"]
        clock.advance(-timedelta(hours=1))
        assert await claimants.claim(21) == "address_limit"
        clock.advance(timedelta(hours=1))
        assert await claimants.claim(22) == "address_limit"
