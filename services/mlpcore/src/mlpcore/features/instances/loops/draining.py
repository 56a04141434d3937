"""Empties servers before they go, by the rule of `replacement/handover.py`.

Instances that answer no calls have no successors: they may finish what they do until the server goes, and end with it.
"""

from datetime import datetime, timedelta
from typing import Final

from mlpcore.features.instances.dependencies import limits_of, replacing_of, servers_of
from mlpcore.features.instances.replacement.draining_repository import TO_DRAIN, DrainingRepository
from mlpcore.features.instances.replacement.handover import Cause
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.servers.service import is_fresh
from mlpcore.features.servers.tables import Server
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import CoreState
from mlplace_runtime.tasks import Loop, every

_SECONDS = 1.0
LONGEST: Final = timedelta(minutes=10)
"""A server goes at the latest this long after somebody asked for its end, with the instances that found no room."""


class Draining:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    async def look(self) -> None:
        if await self._state.database.polling.finds(TO_DRAIN):
            await self.turn()

    async def turn(self) -> None:
        """Begins with servers whose lifetime ends, moves the instances of each model, then deletes empty servers."""
        async with self._state.database.transaction() as session:
            logs, now = stat_logs_of(session), self._state.clock.now()
            for server in await servers_of(session).drain_expiring(now, most=LONGEST):
                logs.add(
                    LogCode.SERVER_EXPIRING,
                    account_id=server.account_id,
                    resource_group=server.group_name,
                    at=now,
                    message=f"The lifetime of the server {server.name} ends; its instances move to other servers",
                    args={"serverId": server.server_id, "name": server.name},
                    node=server.name,
                )
            models = await DrainingRepository(session).models()
        for model_id in models:
            await self._move(model_id)
        await self._finish()

    async def _move(self, model_id: int) -> None:
        """Hands over from the instances on the servers to those elsewhere."""
        async with self._state.database.transaction() as session:
            requests = RequestRepository(session)
            model = await requests.model(model_id)
            if model is None:
                return
            if not await limits_of(session, self._state).hold_free([model.account_id]):
                return  # the other accounts' instances must not wait for this one's
            request = await requests.lock(account_id=model.account_id, model_id=model_id)
            instances = InstanceRepository(session)
            active = await instances.lock_active(account_id=model.account_id, model_id=model_id)
            scaled = [instance for instance in active if instance.is_scaled]
            moving = await DrainingRepository(session).moving([instance.instance_id for instance in scaled])
            await replacing_of(session, self._state).hand_over(
                [instance for instance in scaled if instance.instance_id in moving],
                [instance for instance in scaled if instance.instance_id not in moving],
                wanted=request.requested,
                cause=Cause.SERVER,
            )

    async def _finish(self) -> None:
        """Deletes servers that are empty or at their end, and marks as stopped those whose lifetime still lasts.

        The reconciler gives instances of a deleted server another one.
        """
        async with self._state.database.transaction() as session:
            logs, now = stat_logs_of(session), self._state.clock.now()
            for server, group_name, used in await DrainingRepository(session).lock_servers():
                if not _is_over(server, now, used=used):
                    server.stopped_at = None if used else server.stopped_at or now
                    continue
                await servers_of(session).delete(server)
                logs.add(
                    LogCode.SERVER_DELETED,
                    account_id=server.account_id,
                    resource_group=group_name,
                    at=now,
                    message=f"The server {server.name} was deleted",
                    args={"serverId": server.server_id, "name": server.name},
                    node=server.name,
                )


def _is_over(server: Server, now: datetime, *, used: bool) -> bool:
    if server.expires_at is not None:
        return now >= server.expires_at
    return not used or not is_fresh(server, now) or now - (server.draining_since or now) >= LONGEST


def draining_loop(state: CoreState) -> Loop:
    draining = Draining(state)
    return Loop("server-draining", lambda: every(_SECONDS, draining.look))
