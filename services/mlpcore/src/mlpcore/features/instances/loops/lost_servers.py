"""Takes instances from servers that have not reported for a long time.

Nobody knows whether such a server will ever report again. Without this, a service would be starting for ever, what its
instances hold would count against the limits of their accounts, and tasks would wait for their end.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.conditions import connected, live
from mlpcore.features.instances.dependencies import lifecycle_of
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.features.servers.tables import Server
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

LOST_AFTER: Final = timedelta(minutes=5)
"""So long after its account was notified that it does not report, a server is lost. Restarts are shorter."""
_SECONDS: Final = 5.0
_MESSAGE: Final = f"The server of the instance has not reported for {LOST_AFTER // timedelta(minutes=1)} minutes"


class LostServers:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    async def turn(self) -> None:
        """Moves what no gate is connected to, and ends what should have ended.

        An instance that a gate is connected to goes on: only the agent of its server is away. A server that reports
        again ends what it still runs, since that is not there any more.
        """
        now = self._state.clock.now()
        async with self._state.database.transaction() as session:
            lifecycle = lifecycle_of(session, self._state.clock)
            for instance in await _lock_lost(session, now):
                await _take(lifecycle, instance)


async def _take(lifecycle: Lifecycle, instance: Instance) -> None:
    if instance.state == InstanceState.REMOVING:
        await lifecycle.move(instance, InstanceState.DELETED, reason="ServerLost", message=_MESSAGE)
    else:
        await lifecycle.leave_server(instance, reason="ServerLost", message=_MESSAGE)


async def _lock_lost(session: AsyncSession, now: datetime) -> Sequence[Instance]:
    """Locks the servers that are lost, as a turn of theirs would, and returns their instances to take, locked."""
    lost = (
        sa.select(Server.server_id)
        .where(Server.unavailable_since <= now - LOST_AFTER, Server.last_heartbeat_at < now - SILENT_AFTER)
        .where(sa.exists().where(Instance.server_id == Server.server_id, live()))
        .order_by(Server.server_id)
        .with_for_update(skip_locked=True)
    )
    servers = (await session.scalars(lost)).all()
    if not servers:
        return ()
    ended = sa.and_(Instance.state == InstanceState.REMOVING.value, Instance.state_changed_at <= now - LOST_AFTER)
    taken = (
        sa.select(Instance)
        .where(Instance.server_id.in_(servers), live(), sa.or_(ended, ~connected()))
        .order_by(Instance.instance_id)
        .with_for_update(of=Instance, skip_locked=True)
        .execution_options(populate_existing=True)
    )
    return (await session.scalars(taken)).all()


def lost_servers_loop(state: CoreState) -> Loop:
    lost = LostServers(state)
    return Loop("lost-servers", lambda: every(_SECONDS, lost.turn))
