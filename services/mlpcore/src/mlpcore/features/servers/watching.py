"""Notifies accounts once when a server stops reporting, and once when it reports again."""

from datetime import datetime, timedelta

from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import News
from mlpcore.features.servers.repository import ServerRepository, WatchedServer
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.operations import Entity, EntityName
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS = 5.0
_AT_FIRST = timedelta(seconds=60)
"""After its start a process reports no silent server: servers could not reach the platform while it was down."""


class ServerWatch:
    def __init__(self, state: CoreState) -> None:
        self._state = state
        self._began: datetime | None = None

    async def turn(self) -> None:
        now = self._state.clock.now()
        began = self._began = self._began or now
        since = now - SILENT_AFTER
        async with self._state.database.transaction() as session:
            servers = ServerRepository(session)
            notifier = notifier_of(session, self._state.clock)
            for server in await servers.heard_again(since=since):
                await notifier.tell([server.account_id], _news(server, available=True))
            if now - began < _AT_FIRST:
                return
            for server in await servers.fallen_silent(since=since, now=now):
                await notifier.tell([server.account_id], _news(server, available=False))


def _news(server: WatchedServer, *, available: bool) -> News:
    return News(
        NotificationType.SERVER_AVAILABLE if available else NotificationType.SERVER_UNAVAILABLE,
        Severity.INFO if available else Severity.ERROR,
        f"The server {server.name} is available again" if available else f"The server {server.name} does not respond",
        entity=Entity(
            EntityName.RESOURCE_GROUP_SERVER,
            server.account_id,
            server.name,
            group_owner_id=server.account_id,
            group_name=server.group_name,
            server_id=server.server_id,
        ),
    )


def servers_loop(state: CoreState) -> Loop:
    watch = ServerWatch(state)
    return Loop("server-watch", lambda: every(_SECONDS, watch.turn))
