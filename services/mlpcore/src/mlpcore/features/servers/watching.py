"""Notifies accounts once when a server stops reporting, and once when it reports again. Logs changed capacities."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification
from mlpcore.features.servers.repository import ServerRepository, WatchedServer
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.features.servers.tables import Server
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.operations import Entity, EntityName
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS = 5.0
_AT_ONCE = 500
_APART = timedelta(minutes=5)
"""Between two entries about the capacity of a server. Agents are programs of other people: one whose reports alternate
must not fill the log. What the server has after this time is logged.
"""
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
            servers, logs = ServerRepository(session), stat_logs_of(session)
            for server, group in await servers.lock_changed(_AT_ONCE, before=now - _APART):
                _log_capacity(server, group, logs, now)
        async with self._state.database.transaction() as session:
            servers, logs = ServerRepository(session), stat_logs_of(session)
            notifier = notifier_of(session, self._state.clock)
            for server in await servers.mark_available(since=since):
                await notifier.notify([server.account_id], _notification(server, available=True))
                _log(server, logs, now, available=True)
            if now - began < _AT_FIRST:
                return
            for server in await servers.mark_unavailable(since=since, now=now):
                await notifier.notify([server.account_id], _notification(server, available=False))
                _log(server, logs, now, available=False)


def _log(server: WatchedServer, logs: StatLogs, now: datetime, *, available: bool) -> None:
    logs.add(
        LogCode.SERVER_AVAILABLE if available else LogCode.SERVER_UNAVAILABLE,
        account_id=server.account_id,
        resource_group=server.group_name,
        at=now,
        level="INFO" if available else "ERROR",
        message=_text(server, available=available),
        args={"serverId": server.server_id, "name": server.name},
        node=server.name,
    )


def _log_capacity(server: Server, group: str, logs: StatLogs, now: datetime) -> None:
    has = {"milli_cpu": server.milli_cpu, "ram_mb": server.ram_mb, "disk_mb": server.disk_mb, "gpus": server.gpus}
    before, server.logged, server.logged_at = server.logged, has, now
    logs.add(
        LogCode.CAPACITY_CHANGED,
        account_id=server.account_id,
        resource_group=group,
        at=now,
        message=f"The capacity of the server {server.name} is {_amounts(has)}",
        args={
            "serverId": server.server_id,
            "name": server.name,
            "before": None if before is None else _wire(before),
            "after": _wire(has),
        },
        node=server.name,
    )


def _amounts(has: Mapping[str, Any]) -> str:
    gpus = f", {len(has['gpus'])} GPUs" if has["gpus"] else ""
    return f"{has['milli_cpu']}m CPU, {has['ram_mb']} MiB of memory, {has['disk_mb']} MiB of disk{gpus}"


def _wire(has: Mapping[str, Any]) -> dict[str, object]:
    return {
        "milliCpu": has["milli_cpu"],
        "ramMb": has["ram_mb"],
        "diskMb": has["disk_mb"],
        "gpu": len(has["gpus"]),
        "vramMb": sum(gpu["vram_mb"] for gpu in has["gpus"]),
    }


def _notification(server: WatchedServer, *, available: bool) -> NewNotification:
    return NewNotification(
        NotificationType.SERVER_AVAILABLE if available else NotificationType.SERVER_UNAVAILABLE,
        Severity.INFO if available else Severity.ERROR,
        _text(server, available=available),
        entity=Entity(
            EntityName.RESOURCE_GROUP_SERVER,
            server.account_id,
            server.name,
            group_owner_id=server.account_id,
            group_name=server.group_name,
            server_id=server.server_id,
        ),
    )


def _text(server: WatchedServer, *, available: bool) -> str:
    return f"The server {server.name} " + ("is available again" if available else "does not respond")


def servers_loop(state: CoreState) -> Loop:
    watch = ServerWatch(state)
    return Loop("server-watch", lambda: every(_SECONDS, watch.turn))
