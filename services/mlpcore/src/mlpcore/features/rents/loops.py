from mlpcore.features.placement.allocations import ROOM_CHANGED
from mlpcore.features.rents.repository import RentRepository
from mlpcore.features.rents.service import RentService
from mlpcore.state import CoreState
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.tasks import Loop, every

_SECONDS = 10.0


async def compare_rents(state: CoreState) -> None:
    async with state.database.transaction() as session:
        outbox = Outbox(session, state.clock)
        await RentService(RentRepository(session), outbox, state.clock, state.settings.currency).compare()


def rents_loop(state: CoreState) -> Loop:
    """Compares every ten seconds, and at once when instances of this process's changes get room or begin to leave."""
    changed = state.database.signal(ROOM_CHANGED)
    return Loop("rents", lambda: every(_SECONDS, lambda: compare_rents(state), woken_by=changed))
