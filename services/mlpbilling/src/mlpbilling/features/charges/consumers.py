from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.charges.dependencies import charges_of
from mlpbilling.state import BillingState
from mlplace_contracts.events import Event, UsageRecorded
from mlplace_contracts.topics import USAGE
from mlplace_runtime.bus.consumer import Consumer


def usage_consumer(state: BillingState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        usages = [event for event in events if isinstance(event, UsageRecorded)]
        await charges_of(session, state).charge(usages=usages)

    return Consumer("mlpbilling.usage", (USAGE,), (UsageRecorded,), handle)
