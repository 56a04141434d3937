from mlpbilling import metrics
from mlpbilling.features.reservations.dependencies import reservations_of
from mlpbilling.state import BillingState


async def end_reservations(state: BillingState) -> None:
    """Expires all due reservations in batches, one transaction each; then deletes old ones."""
    while True:
        async with state.database.transaction() as session:
            count = await reservations_of(session, state).expire()
        if not count:
            break
        metrics.EXPIRED.inc(count)
    async with state.database.transaction() as session:
        await reservations_of(session, state).forget_old()
