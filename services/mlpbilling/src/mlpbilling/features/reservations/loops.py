from mlpbilling import metrics
from mlpbilling.features.reservations.dependencies import reservations_of
from mlpbilling.features.reservations.repository import TO_END
from mlpbilling.features.reservations.service import oldest_kept
from mlpbilling.state import BillingState


async def check_ended(state: BillingState) -> None:
    now = state.clock.now()
    if await state.database.polling.finds(TO_END, now=now, oldest=oldest_kept(now, state.settings)):
        await end_reservations(state)


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
