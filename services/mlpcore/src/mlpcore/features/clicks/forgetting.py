from mlpcore.features.clicks.repository import ClickRepository
from mlpcore.features.clicks.service import KEPT_FOR
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS = 3600.0


async def forget_old_clicks(state: CoreState) -> None:
    async with state.database.transaction() as session:
        await ClickRepository(session).forget(before=state.clock.now() - KEPT_FOR)


def clicks_loop(state: CoreState) -> Loop:
    return Loop("clicks-forgetting", lambda: every(_SECONDS, lambda: forget_old_clicks(state)))
