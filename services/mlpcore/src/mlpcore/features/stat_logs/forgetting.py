"""Deletes old entries of the log."""

from datetime import timedelta
from typing import Final

from mlpcore.features.stat_logs.repository import StatLogRepository
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

KEPT_FOR: Final = timedelta(days=90)
_SECONDS = 3600.0
_AT_ONCE = 5000


async def forget_old_entries(state: CoreState) -> None:
    """Deletes at most 5,000 entries in a transaction, so that writers of the log do not wait long."""
    while True:
        async with state.database.transaction() as session:
            before = state.clock.now() - KEPT_FOR
            if await StatLogRepository(session).forget(before=before, most=_AT_ONCE) < _AT_ONCE:
                return


def stat_logs_loop(state: CoreState) -> Loop:
    return Loop("stat-logs-forgetting", lambda: every(_SECONDS, lambda: forget_old_entries(state)))
