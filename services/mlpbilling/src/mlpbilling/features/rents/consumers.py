from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.rents.dependencies import rents_of
from mlpbilling.state import BillingState
from mlplace_contracts.events import Event, RentChanged
from mlplace_contracts.topics import RENTS
from mlplace_runtime.bus.consumer import Consumer


def rents_consumer(state: BillingState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        """Applies each state in order, because the terms of one apply until the next."""
        rents = rents_of(session, state)
        for event in events:
            if isinstance(event, RentChanged):
                await rents.learn(news=event)

    return Consumer("mlpbilling.rents", (RENTS,), (RentChanged,), handle)
