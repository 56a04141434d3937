from collections.abc import Awaitable, Callable

import structlog

from mlpbilling.features.sandbox.provider import SandboxProvider, report_of
from mlpbilling.features.sandbox.repository import SandboxRepository
from mlpbilling.features.sandbox.tables import SandboxPayment
from mlpbilling.payment_provider import Outcome
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound
from mlplace_runtime.db.database import Database

Deliver = Callable[[bytes, dict[str, str]], Awaitable[int]]
"""Sends a callback to the platform. Returns the status of the response."""

log = structlog.get_logger(__name__)


class Sandbox:
    """The provider's side of payments, behind its page. It commits its own data before it sends a callback."""

    def __init__(self, database: Database, clock: Clock, provider: SandboxProvider, deliver: Deliver) -> None:
        self._database = database
        self._clock = clock
        self._provider = provider
        self._deliver = deliver

    async def find(self, *, payment_id: str) -> SandboxPayment:
        """Raises NotFound."""
        async with self._database.transaction() as session:
            payment = await SandboxRepository(session).find(payment_id)
        if payment is None:
            raise NotFound(entity="payment")
        return payment

    def is_open(self, payment: SandboxPayment) -> bool:
        return payment.outcome == Outcome.OPEN and self._clock.now() < payment.expires_at

    async def settle(self, *, payment_id: str, outcome: Outcome) -> bool:
        """Returns False if the payment was settled before or has expired.

        Lost callbacks are not resent: look-ups replace them.
        """
        async with self._database.transaction() as session:
            settled = await SandboxRepository(session).settle(payment_id, outcome, now=self._clock.now())
        if settled:
            payment = await self.find(payment_id=payment_id)
            body, headers = self._provider.signed_callback(report_of(payment))
            status = await self._deliver(body, headers)
            log.info("sandbox_callback_sent", payment=payment_id, status=status)
        return settled
