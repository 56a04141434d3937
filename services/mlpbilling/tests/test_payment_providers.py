"""Contract tests of payment providers."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mlpbilling.features.payments.errors import CallbackForged
from mlpbilling.features.sandbox.cards import ACCEPTED, REFUSED, answer_to
from mlpbilling.features.sandbox.page import language_of
from mlpbilling.features.sandbox.provider import SandboxProvider
from mlpbilling.features.sandbox.signing import HEADER, CallbackSigner
from mlpbilling.main import sandbox_of
from mlpbilling.payment_provider import Outcome, PaymentOrder, PaymentProvider, Report
from mlpbilling.state import BillingState
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.ids import new_event_id

from .conftest import RUBLE
from .payment_world import AMOUNT, TwinProvider, signed


@pytest.fixture(params=["sandbox", "twin"])
def provider(request: pytest.FixtureRequest, state: BillingState, hasher: KeyedHasher) -> PaymentProvider:
    return sandbox_of(state.database, state.clock, hasher) if request.param == "sandbox" else TwinProvider()


@pytest.fixture
def order(clock: ManualClock) -> PaymentOrder:
    return PaymentOrder(
        order_id=str(new_event_id()),
        amount_nano=AMOUNT,
        currency=RUBLE,
        platform_url="https://ml.example.org",
        return_url="https://ml.example.org/workspace",
        expires_at=clock.now() + timedelta(minutes=30),
    )


class TestContract:
    async def test_a_payment_is_open_until_the_payer_acts(self, provider: PaymentProvider, order: PaymentOrder) -> None:
        created = await provider.create(order)
        assert created.payment_url.startswith("https://")
        report = await provider.look_up(created.payment_id)
        assert report is not None
        assert (report.order_id, report.payment_id, report.outcome) == (
            order.order_id,
            created.payment_id,
            Outcome.OPEN,
        )
        assert (report.amount_nano, report.currency) == (AMOUNT, RUBLE)

    async def test_a_repeated_order_is_one_payment(self, provider: PaymentProvider, order: PaymentOrder) -> None:
        assert await provider.create(order) == await provider.create(order)
        other = await provider.create(replace(order, order_id=str(new_event_id())))
        assert other != await provider.create(order)

    async def test_a_missing_payment_is_unknown(self, provider: PaymentProvider) -> None:
        assert await provider.look_up("nothing") is None

    @pytest.mark.parametrize(
        "headers", [{}, {"signature": "forged"}, {"sandbox-signature": "t=1,v1=" + "0" * 64}, {"sandbox-signature": ""}]
    )
    def test_an_unsigned_callback_is_refused(self, provider: PaymentProvider, headers: dict[str, str]) -> None:
        with pytest.raises(CallbackForged):
            provider.read_callback(headers, b"{}")


class TestSandboxSignature:
    async def test_a_signed_callback_is_read_as_signed(
        self, state: BillingState, hasher: KeyedHasher, order: PaymentOrder
    ) -> None:
        provider = sandbox_of(state.database, state.clock, hasher)
        report = await provider.look_up((await provider.create(order)).payment_id)
        assert report is not None
        body, headers = signed(provider, report)
        assert provider.read_callback(headers, body) == report

    async def test_a_signed_callback_is_read_as_routes_read_json(
        self, state: BillingState, order: PaymentOrder
    ) -> None:
        signer = CallbackSigner("secret")
        provider = SandboxProvider(state.database, state.clock, signer)
        report = await provider.look_up((await provider.create(order)).payment_id)
        assert report is not None
        body, _ = provider.signed_callback(report)

        def read(content: bytes) -> Report:
            return provider.read_callback({HEADER: signer.sign(content, state.clock.now())}, content)

        assert read(body) == report
        assert read(b"\xef\xbb\xbf" + body) == report
        assert read(b'{"outcome":"DECLINED",' + body[1:]) == report
        for broken in (body[:-1], body + b" {}", body.decode().encode("utf-16"), b"\xef\xbb\xbf" * 2 + body):
            with pytest.raises(CallbackForged):
                read(broken)

    def test_a_signature_is_valid_for_its_body_its_secret_and_five_minutes(self, clock: ManualClock) -> None:
        signer = CallbackSigner("secret")
        header = signer.sign(b"body", clock.now())
        assert signer.is_genuine(header, b"body", clock.now())
        assert signer.is_genuine(header, b"body", clock.now() + timedelta(minutes=5))
        assert not signer.is_genuine(header, b"body", clock.now() + timedelta(minutes=6))
        assert not signer.is_genuine(header, b"body", clock.now() - timedelta(minutes=6))
        assert not signer.is_genuine(header, b"other", clock.now())
        assert not CallbackSigner("another").is_genuine(header, b"body", clock.now())

    @pytest.mark.parametrize("header", ["", "t=,v1=", "v1=00", "t=1,v1=ÿ" + "0" * 63, "t=1,v1=" + "0" * 65])
    def test_a_malformed_signature_is_refused(self, clock: ManualClock, header: str) -> None:
        assert not CallbackSigner("secret").is_genuine(header, b"", clock.now())


class TestCards:
    @pytest.mark.parametrize(
        ("number", "outcome"),
        [
            (ACCEPTED, Outcome.PAID),
            ("4242-4242-4242-4242", Outcome.PAID),
            (REFUSED, Outcome.DECLINED),
            ("5555555555554444", Outcome.DECLINED),
            ("4242424242424241", None),
            ("", None),
            ("card", None),
            ("٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", None),
            ("0" * 60, None),
        ],
    )
    def test_each_test_card_has_its_answer(self, number: str, outcome: Outcome | None) -> None:
        assert answer_to(number) is outcome


class TestLanguage:
    @pytest.mark.parametrize(
        ("wanted", "accepted", "language"),
        [
            (None, "", "ru"),
            (None, "de", "ru"),
            (None, "en-GB,ru;q=0.5", "en"),
            (None, "ru-RU,en;q=0.5", "ru"),
            ("en", "ru", "en"),
            ("xx", "en", "en"),
        ],
    )
    def test_the_requested_language_precedes_the_browsers(
        self, wanted: str | None, accepted: str, language: str
    ) -> None:
        assert language_of(wanted, accepted) == language
