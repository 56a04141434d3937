from mlpcore.features.notifications.repository import NotificationRepository
from mlpcore.features.notifications.service import KEPT, KEPT_FOR
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS = 3600.0


async def forget_old_notifications(state: CoreState) -> int:
    """Deletes old notifications, and all but the newest of each account. Returns how many it deleted."""
    async with state.database.transaction() as session:
        return await NotificationRepository(session).forget(before=state.clock.now() - KEPT_FOR, kept=KEPT)


def notifications_loop(state: CoreState) -> Loop:
    return Loop("notifications-forgetting", lambda: every(_SECONDS, lambda: forget_old_notifications(state)))
