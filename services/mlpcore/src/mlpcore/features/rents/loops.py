import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from mlpcore.features.placement.allocations import ROOM_CHANGED
from mlpcore.features.rents.repository import RentRepository
from mlpcore.features.rents.service import RentService
from mlpcore.metrics import RENT_SECONDS
from mlpcore.state import CoreState
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.tasks import Loop, every

_PAUSE: Final = 0.9
"""With the tenth of a second of `every` it makes a second: each comparison reads all running allocations, and many
instances may begin and leave within a second.
"""
_SECONDS: Final = 10.0 - _PAUSE


async def compare_rents(state: CoreState) -> None:
    with RENT_SECONDS.time():
        async with state.database.transaction() as session:
            outbox = Outbox(session, state.clock)
            await RentService(RentRepository(session), outbox, state.clock, state.settings.currency).compare()


def rents_loop(state: CoreState, compare: Callable[[CoreState], Awaitable[None]] = compare_rents) -> Loop:
    """Compares every ten seconds, and at once when instances of this process's changes get room or begin to leave.

    Changes that follow each other share a comparison, which comes a second after the previous one.
    """
    changed = state.database.signal(ROOM_CHANGED)

    async def compared() -> None:
        await compare(state)
        await asyncio.sleep(_PAUSE)  # a change meanwhile ends the wait that follows

    return Loop("rents", lambda: every(_SECONDS, compared, woken_by=changed))
