from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.state import BillingState
from mlplace_contracts.enums import Feature
from mlplace_contracts.events import AccountLimitsChanged, Event
from mlplace_contracts.topics import LIMITS
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.bus.states import newest


def limits_consumer(state: BillingState) -> Consumer:
    """Applies the feature mlp_billing.no_blocking, which allows an account to be below zero."""

    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        ledger = ledger_of(session, state.clock)
        for event in sorted(newest(events, AccountLimitsChanged), key=lambda limits: limits.account_id):
            enabled = Feature.NO_BLOCKING.value in event.features
            await ledger.set_no_blocking(account_id=event.account_id, enabled=enabled, version=event.version)

    return Consumer("mlpbilling.limits", (LIMITS,), (AccountLimitsChanged,), handle)
