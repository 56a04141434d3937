"""A payment provider that takes no money, for trial and for tests."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, ValidationError

from mlpbilling.features.payments.errors import CallbackForged
from mlpbilling.features.sandbox.repository import SandboxRepository
from mlpbilling.features.sandbox.signing import HEADER, CallbackSigner
from mlpbilling.features.sandbox.tables import SandboxPayment
from mlpbilling.payment_provider import CreatedPayment, Outcome, PaymentOrder, PaymentProvider, Report
from mlplace_kit.clock import Clock
from mlplace_kit.errors import MalformedRequest
from mlplace_kit.ids import random_alphanumeric
from mlplace_kit.money import Currency
from mlplace_runtime.db.database import Database
from mlplace_runtime.web.json_requests import json_text_of

PAGES = "/api/mlpbilling/sandbox-payment"
_ID_LENGTH = 32


class Callback(BaseModel):
    """The body of a callback."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    order_id: str
    payment_id: str
    outcome: Outcome
    amount_nano: int
    currency: Currency


class SandboxProvider(PaymentProvider):
    name = "sandbox"

    def __init__(self, database: Database, clock: Clock, signer: CallbackSigner) -> None:
        self._database = database
        self._clock = clock
        self._signer = signer

    async def create(self, order: PaymentOrder) -> CreatedPayment:
        async with self._database.transaction() as session:
            repository = SandboxRepository(session)
            wanted = random_alphanumeric(_ID_LENGTH)
            payment = await repository.ensure(order, payment_id=wanted, now=self._clock.now())
        return CreatedPayment(payment.payment_id, f"{order.platform_url}{PAGES}/{payment.payment_id}")

    def read_callback(self, headers: Mapping[str, str], body: bytes) -> Report:
        if not self._signer.is_genuine(headers.get(HEADER, ""), body, self._clock.now()):
            raise CallbackForged
        try:
            callback = Callback.model_validate_json(json_text_of(body))
        except (MalformedRequest, ValidationError) as error:
            raise CallbackForged from error
        return Report(
            order_id=callback.order_id,
            payment_id=callback.payment_id,
            outcome=callback.outcome,
            amount_nano=callback.amount_nano,
            currency=callback.currency,
        )

    async def look_up(self, payment_id: str) -> Report | None:
        async with self._database.transaction() as session:
            payment = await SandboxRepository(session).find(payment_id)
        return report_of(payment) if payment else None

    def signed_callback(self, report: Report) -> tuple[bytes, dict[str, str]]:
        """Returns body and headers of the callback with this report."""
        body = Callback(
            order_id=report.order_id,
            payment_id=report.payment_id,
            outcome=report.outcome,
            amount_nano=report.amount_nano,
            currency=report.currency,
        )
        content = body.model_dump_json().encode()
        return content, {HEADER: self._signer.sign(content, self._clock.now()), "content-type": "application/json"}


def report_of(payment: SandboxPayment) -> Report:
    return Report(
        order_id=payment.order_id,
        payment_id=payment.payment_id,
        outcome=Outcome(payment.outcome),
        amount_nano=payment.amount_nano,
        currency=Currency(payment.currency),
    )
