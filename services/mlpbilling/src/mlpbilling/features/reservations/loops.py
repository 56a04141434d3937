from mlpbilling import metrics
from mlpbilling.features.reservations.dependencies import reservations_of
from mlpbilling.state import BillingState


async def end_reservations(state: BillingState) -> None:
    """Expire all that are due, batch by batch, each in a transaction of its own; then forget old ones."""
    while True:
        async with state.database.transaction() as session:
            count = await reservations_of(session, state).expire()
        if not count:
            break
        metrics.EXPIRED.inc(count)
    async with state.database.transaction() as session:
        await reservations_of(session, state).forget_old()
