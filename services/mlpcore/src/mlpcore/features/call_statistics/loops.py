from mlpcore.features.call_statistics.periods import PeriodRepository
from mlpcore.features.call_statistics.repository import CallStatisticsRepository
from mlpcore.features.call_statistics.service import first_day
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS = 600.0


async def forget_old_calls(state: CoreState) -> None:
    async with state.database.transaction() as session:
        now = state.clock.now()
        await CallStatisticsRepository(session).forget(before=first_day(now))
        await PeriodRepository(session).forget(now)


def call_statistics_loop(state: CoreState) -> Loop:
    return Loop("call-statistics-forgetting", lambda: every(_SECONDS, lambda: forget_old_calls(state)))
