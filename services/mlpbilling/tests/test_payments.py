"""Tests refills by card: what the payer, the provider and a forger can do."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest

from mlpbilling.features.payments.loops import check_payments
from mlpbilling.features.payments.service import MAX_OPEN
from mlpbilling.features.sandbox.cards import ACCEPTED, REFUSED
from mlpbilling.main import SERVICE
from mlpbilling.payment_provider import Outcome, Report
from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlplace_contracts.enums import Feature
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.money import NANO
from mlplace_testing.identities import Identities
from mlplace_testing.web import client_for

from .conftest import TOKEN, Harness
from .payment_world import AMOUNT, CALLBACKS, TwinProvider, begin, signed, taking_cards

BASE = "/api/mlpbilling/account/11"
CARD = f"{BASE}/user/1/refill/card/dynamic"
BODY = {"accountId": 11, "amountCurrency": 100, "redirectUrl": "/workspace"}


@pytest.fixture
def state(state: BillingState, hasher: KeyedHasher) -> BillingState:
    return taking_cards(state, hasher)


@pytest.fixture
def payer(identities: Identities) -> dict[str, str]:
    return identities.user(identities.account(11, "one"), features=[Feature.PUBLIC_MODEL_ADMIN])


async def only_report(state: BillingState, url: str) -> Report:
    assert state.provider is not None
    report = await state.provider.look_up(url.rpartition("/")[2])
    assert report is not None
    return report


async def call_back(client: httpx.AsyncClient, state: BillingState, report: Report) -> httpx.Response:
    body, headers = signed(state.provider, report)
    sent = {**headers, "Idempotency-Key": "of the provider"}  # it has no effect: each notice names its payment
    return await client.post(f"{CALLBACKS}/sandbox", content=body, headers=sent)


async def history(client: httpx.AsyncClient, payer: Mapping[str, str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (await client.get(f"{BASE}/refill/history", headers=dict(payer))).json()
    return rows


class TestOnThePage:
    async def test_an_accepted_card_pays_and_redirects_back(
        self, client: httpx.AsyncClient, harness: Harness, payer: dict[str, str]
    ) -> None:
        url = await begin(client, payer, amountCurrency=100.019, redirectUrl="/workspace?paid=1")
        assert url.startswith("http://testserver/api/mlpbilling/sandbox-payment/")
        page = await client.get(url, headers={"Accept-Language": "en"})
        assert "100.01 ₽" in page.text
        answer = await client.post(url, data={"action": "pay", "card": ACCEPTED})
        assert (answer.status_code, answer.headers["location"]) == (303, "http://testserver/workspace?paid=1")
        assert await harness.money(11) == (100_010_000_000, 0, 0)
        assert [(row["source"], row["status"], row["amountCurrency"]) for row in await history(client, payer)] == [
            ("CARD", "DONE", 100.01)
        ]
        assert (await harness.verify()).sound

    @pytest.mark.parametrize(
        "form", [{"action": "pay", "card": REFUSED}, {"action": "decline"}, {"action": "cancel", "card": "x"}]
    )
    async def test_a_declined_or_cancelled_payment_credits_nothing(
        self, client: httpx.AsyncClient, harness: Harness, payer: dict[str, str], form: dict[str, str]
    ) -> None:
        url = await begin(client, payer)
        assert (await client.post(url, data=form)).status_code == 303
        assert await harness.money(11) == (0, 0, 0)
        assert [row["status"] for row in await history(client, payer)] == ["FAILED"]

    async def test_a_signed_in_payer_may_send_the_form_and_other_sites_may_not(
        self, client: httpx.AsyncClient, harness: Harness, payer: dict[str, str]
    ) -> None:
        url = await begin(client, payer)
        assert (await client.get(url, headers=payer)).headers["referrer-policy"] == "same-origin"
        form = {"action": "pay", "card": ACCEPTED}
        foreign = await client.post(url, data=form, headers=payer | {"Origin": "https://evil.example"})
        assert foreign.status_code == 403
        own = await client.post(url, data=form, headers=payer | {"Origin": "http://testserver"})
        assert own.status_code == 303
        assert await harness.money(11) == (AMOUNT, 0, 0)

    async def test_an_invalid_card_number_shows_the_form_again(
        self, client: httpx.AsyncClient, payer: dict[str, str]
    ) -> None:
        url = await begin(client, payer)
        answer = await client.post(f"{url}?lang=ru", data={"action": "pay", "card": "4242"})
        assert answer.status_code == 400
        assert 'role="alert"' in answer.text
        assert [row["status"] for row in await history(client, payer)] == ["PENDING"]

    async def test_a_repeated_form_pays_once(
        self, client: httpx.AsyncClient, harness: Harness, payer: dict[str, str]
    ) -> None:
        url = await begin(client, payer)
        answers = await asyncio.gather(*(client.post(url, data={"action": "pay", "card": ACCEPTED}) for _ in range(5)))
        assert {answer.status_code for answer in answers} == {303}
        assert await harness.money(11) == (AMOUNT, 0, 0)
        again = await client.post(url, data={"action": "cancel"})
        assert again.headers["location"].startswith("/api/mlpbilling/sandbox-payment/")
        assert await harness.money(11) == (AMOUNT, 0, 0)

    async def test_the_page_allows_no_scripts_and_frames_but_the_redirect_back(
        self, client: httpx.AsyncClient, payer: dict[str, str]
    ) -> None:
        page = await client.get(await begin(client, payer, redirectUrl="https://ml.example.org/back"))
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "form-action 'self' https://ml.example.org;" in policy
        assert "frame-ancestors 'none'" in policy
        assert "<script" not in page.text
        assert "<label" in page.text

    async def test_an_expired_payment_accepts_no_card(
        self, client: httpx.AsyncClient, harness: Harness, payer: dict[str, str], clock: ManualClock
    ) -> None:
        url = await begin(client, payer)
        clock.advance(timedelta(minutes=30))
        assert 'name="card"' not in (await client.get(url)).text
        await client.post(url, data={"action": "pay", "card": ACCEPTED})
        assert await harness.money(11) == (0, 0, 0)

    @pytest.mark.parametrize("payment_id", ["a" * 32, "short", "%00" * 11])
    async def test_a_missing_payment_has_no_page(self, client: httpx.AsyncClient, payment_id: str) -> None:
        answer = await client.get(f"/api/mlpbilling/sandbox-payment/{payment_id}")
        assert answer.status_code in {400, 404}


class TestBegin:
    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"amountCurrency": 0.99}, "amountCurrency"),
            ({"amountCurrency": -5}, "amountCurrency"),
            ({"amountCurrency": 1e12}, "amountCurrency"),
            ({"amountCurrency": "NaN"}, "amountCurrency"),
            ({"amountCurrency": "much"}, "amountCurrency"),
            ({"accountId": 12}, "accountId"),
            ({"redirectUrl": "https://evil.example/"}, "redirectUrl"),
            ({"redirectUrl": ""}, "redirectUrl"),
            ({"redirectUrl": "/" + "x" * 3000}, "redirectUrl"),
            ({"extra": 1}, "extra"),
        ],
    )
    async def test_invalid_input_names_its_field(
        self, client: httpx.AsyncClient, payer: dict[str, str], change: dict[str, object], field: str
    ) -> None:
        answer = await client.post(CARD, json=BODY | change, headers=payer)
        assert (answer.status_code, set(answer.json()["args"])) == (400, {field})
        assert answer.json()["message"].startswith(f"{field}: ")
        assert await history(client, payer) == []

    async def test_one_unit_is_the_smallest_amount(self, client: httpx.AsyncClient, payer: dict[str, str]) -> None:
        await begin(client, payer, amountCurrency=1)

    async def test_payments_for_other_users_and_foreign_accounts_are_refused(
        self, client: httpx.AsyncClient, payer: dict[str, str], identities: Identities
    ) -> None:
        other = await client.post(f"{BASE}/user/2/refill/card/dynamic", json=BODY, headers=payer)
        stranger = identities.user(identities.account(12, "two"))
        foreign = await client.post(CARD, json=BODY, headers=stranger)
        anonymous = await client.post(CARD, json=BODY)
        assert [answer.status_code for answer in (other, foreign, anonymous)] == [403, 403, 401]

    async def test_too_many_open_payments_are_refused(
        self, client: httpx.AsyncClient, payer: dict[str, str], clock: ManualClock, state: BillingState
    ) -> None:
        for _ in range(MAX_OPEN):
            await begin(client, payer)
        refused = await client.post(CARD, json=BODY, headers=payer)
        assert (refused.status_code, refused.json()["code"]) == (429, "mlp.billing.too_many_payments")
        assert "retry-after" in refused.headers
        clock.advance(timedelta(minutes=31))
        assert state.provider is not None
        await check_payments(state, state.provider)
        await begin(client, payer)

    async def test_an_installation_without_cards_refuses_payments(
        self, state: BillingState, identities: Identities, payer: dict[str, str]
    ) -> None:
        app = SERVICE.assemble(replace(state, provider=None), identities.authenticator, identities)
        async with client_for(app) as client:
            refused = await client.post(CARD, json=BODY, headers=payer)
            assert (refused.status_code, refused.json()["code"]) == (403, "mlp.billing.card_refill_off")
            assert (await client.post(f"{CALLBACKS}/sandbox")).status_code == 404
            assert (await client.get("/api/mlpbilling/sandbox-payment/" + "a" * 32)).status_code == 404

    async def test_an_unreachable_provider_gives_503_and_credits_nothing(
        self, state: BillingState, identities: Identities, payer: dict[str, str], harness: Harness
    ) -> None:
        provider = TwinProvider(away=True)
        app = SERVICE.assemble(replace(state, provider=provider), identities.authenticator, identities)
        async with client_for(app) as client:
            refused = await client.post(CARD, json=BODY, headers=payer)
            assert (refused.status_code, refused.json()["code"]) == (503, "mlp.billing.payment_provider_away")
            assert [row["status"] for row in await history(client, payer)] == ["PENDING"]
        assert (await harness.verify()).sound


class TestCallback:
    async def test_repeated_and_reordered_callbacks_credit_once(
        self, client: httpx.AsyncClient, state: BillingState, harness: Harness, payer: dict[str, str]
    ) -> None:
        report = await only_report(state, await begin(client, payer))
        paid, declined = replace(report, outcome=Outcome.PAID), replace(report, outcome=Outcome.DECLINED)
        news = [declined, paid, paid, report, declined, paid, *[paid] * 4]
        answers = await asyncio.gather(*(call_back(client, state, one) for one in news))
        assert {answer.status_code for answer in answers} == {200}
        assert await harness.money(11) == (AMOUNT, 0, 0)
        assert await harness.query("SELECT count(*) FROM refill") == [(1,)]
        assert (await harness.verify()).sound

    async def test_an_unsigned_callback_changes_nothing(
        self, client: httpx.AsyncClient, state: BillingState, harness: Harness, payer: dict[str, str]
    ) -> None:
        report = replace(await only_report(state, await begin(client, payer)), outcome=Outcome.PAID)
        body, headers = signed(state.provider, report)
        forged = [
            (body, {}),
            (body.replace(b"100000000000", b"999000000000"), headers),
            (body, {**headers, "sandbox-signature": headers["sandbox-signature"][:-1] + "x"}),
            (b"", headers),
        ]
        for content, sent in forged:
            answer = await client.post(f"{CALLBACKS}/sandbox", content=content, headers=sent)
            assert (answer.status_code, answer.json()["code"]) == (403, "mlp.billing.callback_forged")
        assert await harness.money(11) == (0, 0, 0)
        assert await harness.query("SELECT count(*) FROM payment_notice") == [(0,)]

    async def test_a_replayed_old_callback_is_refused(
        self, client: httpx.AsyncClient, state: BillingState, payer: dict[str, str], clock: ManualClock
    ) -> None:
        report = replace(await only_report(state, await begin(client, payer)), outcome=Outcome.PAID)
        body, headers = signed(state.provider, report)
        clock.advance(timedelta(minutes=6))
        assert (await client.post(f"{CALLBACKS}/sandbox", content=body, headers=headers)).status_code == 403

    @pytest.mark.parametrize(
        "change",
        [{"amount_nano": AMOUNT + 1}, {"amount_nano": NANO}, {"currency": TOKEN}, {"payment_id": "another"}],
    )
    async def test_a_mismatching_callback_is_refused_and_recorded(
        self,
        client: httpx.AsyncClient,
        state: BillingState,
        harness: Harness,
        payer: dict[str, str],
        identities: Identities,
        change: dict[str, Any],
    ) -> None:
        report = replace(await only_report(state, await begin(client, payer)), outcome=Outcome.PAID)
        refused = await call_back(client, state, replace(report, **change))
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.billing.payment_mismatch")
        assert await harness.money(11) == (0, 0, 0)
        admin = identities.user(superadmin=True)
        kept = (await client.get("/api/mlpbilling/admin/payment-mismatches", headers=admin)).json()
        assert (kept["paging"]["totalElements"], kept["records"][0]["orderedAmountCurrency"]) == (1, 100.0)
        assert (await call_back(client, state, report)).status_code == 200
        assert await harness.money(11) == (AMOUNT, 0, 0)

    async def test_a_callback_of_an_unknown_order_is_not_found(
        self, client: httpx.AsyncClient, state: BillingState, payer: dict[str, str]
    ) -> None:
        report = await only_report(state, await begin(client, payer))
        for order_id in ("00000000-0000-0000-0000-000000000000", "no uuid"):
            assert (await call_back(client, state, replace(report, order_id=order_id))).status_code == 404
        body, headers = signed(state.provider, report)
        assert (await client.post(f"{CALLBACKS}/twin", content=body, headers=headers)).status_code == 404

    async def test_money_of_an_expired_payment_is_credited(
        self,
        client: httpx.AsyncClient,
        state: BillingState,
        harness: Harness,
        payer: dict[str, str],
        clock: ManualClock,
    ) -> None:
        report = await only_report(state, await begin(client, payer))
        clock.advance(timedelta(hours=3))
        assert state.provider is not None
        await check_payments(state, state.provider)
        assert [row["status"] for row in await history(client, payer)] == ["EXPIRED"]
        await call_back(client, state, replace(report, outcome=Outcome.PAID))
        assert await harness.money(11) == (AMOUNT, 0, 0)
        assert [row["status"] for row in await history(client, payer)] == ["DONE"]

    async def test_callers_cannot_use_the_idempotency_key_of_a_payment(
        self, client: httpx.AsyncClient, state: BillingState, harness: Harness, payer: dict[str, str]
    ) -> None:
        report = await only_report(state, await begin(client, payer))
        await harness.earn(11, 5 * NANO)
        taken = await client.post(
            f"{BASE}/user/1/refill/income",
            json={"accountId": 11, "amountCurrency": 1},
            headers=payer | {"Idempotency-Key": f"payment:{report.order_id}"},
        )
        assert taken.status_code == 400
        assert (await call_back(client, state, replace(report, outcome=Outcome.PAID))).status_code == 200


class TestLostCallback:
    @pytest.fixture
    def provider(self) -> TwinProvider:
        return TwinProvider()

    @pytest.fixture
    def state(self, state: BillingState, provider: TwinProvider) -> BillingState:
        return replace(state, provider=provider)

    @pytest.fixture
    async def payment_id(self, client: httpx.AsyncClient, payer: dict[str, str]) -> str:
        return (await begin(client, payer)).rpartition("/")[2]

    async def test_a_payment_without_callback_is_looked_up(
        self, state: BillingState, provider: TwinProvider, harness: Harness, clock: ManualClock, payment_id: str
    ) -> None:
        provider.settle(payment_id, Outcome.PAID)
        await check_payments(state, provider)
        assert await harness.money(11) == (0, 0, 0), "it is not asked about at once"
        clock.advance(timedelta(seconds=15))
        await asyncio.gather(*(check_payments(state, provider) for _ in range(3)))
        assert await harness.money(11) == (AMOUNT, 0, 0)
        assert (await harness.verify()).sound

    async def test_an_unreachable_provider_is_asked_again(
        self, state: BillingState, provider: TwinProvider, harness: Harness, clock: ManualClock, payment_id: str
    ) -> None:
        provider.settle(payment_id, Outcome.PAID)
        provider.away = True
        clock.advance(timedelta(minutes=31))
        await check_payments(state, provider)
        assert await harness.money(11) == (0, 0, 0)
        provider.away = False
        clock.advance(timedelta(minutes=16))
        await check_payments(state, provider)
        assert await harness.money(11) == (AMOUNT, 0, 0)

    async def test_an_unpaid_payment_expires_and_is_looked_up_for_another_day(
        self, state: BillingState, provider: TwinProvider, harness: Harness, clock: ManualClock, payment_id: str
    ) -> None:
        clock.advance(timedelta(minutes=30))
        await check_payments(state, provider)
        assert await harness.query("SELECT state FROM payment_attempt") == [("EXPIRED",)]
        provider.settle(payment_id, Outcome.PAID)
        clock.advance(timedelta(minutes=20))
        await check_payments(state, provider)
        assert await harness.money(11) == (AMOUNT, 0, 0)
        assert await harness.query("SELECT next_check_at FROM payment_attempt") == [(None,)]

    async def test_a_payment_unknown_to_the_provider_expires(
        self, state: BillingState, provider: TwinProvider, harness: Harness, clock: ManualClock, payment_id: str
    ) -> None:
        del provider.payments[payment_id]
        clock.advance(timedelta(minutes=30))
        await check_payments(state, provider)
        assert await harness.query("SELECT state FROM payment_attempt") == [("EXPIRED",)]

    async def test_a_mismatching_look_up_credits_nothing(
        self, state: BillingState, provider: TwinProvider, harness: Harness, clock: ManualClock, payment_id: str
    ) -> None:
        provider.settle(payment_id, Outcome.PAID)
        provider.payments[payment_id] = replace(provider.payments[payment_id], amount_nano=1)
        clock.advance(timedelta(seconds=15))
        await check_payments(state, provider)
        assert await harness.money(11) == (0, 0, 0)
        assert await harness.query("SELECT verdict FROM payment_notice") == [("MISMATCH",)]


class TestProviderInUse:
    @pytest.mark.parametrize(
        ("wanted", "environment", "sandbox"),
        [
            ("auto", "development", True),
            ("auto", "production", False),
            ("sandbox", "production", True),
            ("none", "development", False),
        ],
    )
    def test_the_sandbox_is_off_in_production_by_default(self, wanted: str, environment: str, sandbox: bool) -> None:
        values = {"database_url": "postgresql+asyncpg://h/d", "payment_provider": wanted, "environment": environment}
        assert MlpbillingSettings.model_validate(values).takes_sandbox_cards is sandbox
