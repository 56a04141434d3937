"""Payments in tests: a payer, a provider that can be unreachable, and its callbacks."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import httpx

from mlpbilling.features.payments.errors import CallbackForged
from mlpbilling.features.sandbox.provider import Callback, SandboxProvider
from mlpbilling.main import sandbox_of
from mlpbilling.payment_provider import (
    CreatedPayment,
    Outcome,
    PaymentOrder,
    PaymentProvider,
    ProviderUnavailableError,
    Report,
)
from mlpbilling.state import BillingState
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.money import NANO

CALLBACKS = "/api/mlpbilling/payment-callback"
AMOUNT = 100 * NANO


class AnyPath:
    """Implements Redirects: allows paths and one domain."""

    async def allowed(self, *, url: str, host: str) -> bool:
        return url.startswith(("/", "https://ml.example.org/", f"http://{host}/"))


@dataclass
class TwinProvider(PaymentProvider):
    """A remote provider: it keeps all payments, can be unreachable, and signs with a fixed word."""

    name: str = "twin"
    away: bool = False
    payments: dict[str, Report] = field(default_factory=dict[str, Report])

    async def create(self, order: PaymentOrder) -> CreatedPayment:
        self._answer()
        payment_id = f"twin-{order.order_id}"
        fresh = Report(order.order_id, payment_id, Outcome.OPEN, order.amount_nano, order.currency)
        self.payments.setdefault(payment_id, fresh)
        return CreatedPayment(payment_id, f"https://pay.example.org/{payment_id}")

    def read_callback(self, headers: Mapping[str, str], body: bytes) -> Report:
        if headers.get("signature") != "genuine":
            raise CallbackForged
        return report_from(body)

    async def look_up(self, payment_id: str) -> Report | None:
        self._answer()
        return self.payments.get(payment_id)

    def settle(self, payment_id: str, outcome: Outcome) -> None:
        self.payments[payment_id] = replace(self.payments[payment_id], outcome=outcome)

    def _answer(self) -> None:
        if self.away:
            raise ProviderUnavailableError("away")


def report_from(body: bytes) -> Report:
    callback = Callback.model_validate_json(body)
    return Report(**{name: getattr(callback, name) for name in Callback.model_fields})


def taking_cards(state: BillingState, hasher: KeyedHasher, provider: PaymentProvider | None = None) -> BillingState:
    chosen = provider or sandbox_of(state.database, state.clock, hasher)
    return replace(state, provider=chosen, redirects=AnyPath())


def signed(provider: PaymentProvider | None, report: Report) -> tuple[bytes, dict[str, str]]:
    assert isinstance(provider, SandboxProvider)
    return provider.signed_callback(report)


async def begin(client: httpx.AsyncClient, headers: Mapping[str, str], account_id: int = 11, **more: object) -> str:
    """Returns the URL of the payment page."""
    body = {"accountId": account_id, "amountCurrency": 100, "redirectUrl": "/workspace", **more}
    path = f"/api/mlpbilling/account/{account_id}/user/1/refill/card/dynamic"
    answer = await client.post(path, json=body, headers=dict(headers))
    assert answer.status_code == 200, answer.text
    url: str = answer.json()["paymentUrl"]
    return url


def attempt_of(report: Report) -> uuid.UUID:
    return uuid.UUID(report.order_id)
