"""SQL of servers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.reports import ServerReport
from mlpcore.features.servers.tables import Server
from mlpcore.unique_names import unique_name


@dataclass(frozen=True, slots=True)
class WatchedServer:
    server_id: int
    account_id: int
    name: str
    group_name: str


class ServerRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, server: Server) -> None:
        """Raises NameAlreadyExists when the group has another server of this name."""
        self._session.add(server)
        with unique_name("a server", server.name):
            await self._session.flush()

    async def find(self, *, account_id: int, group_id: int, server_id: int) -> Server | None:
        return await self._first(
            sa.select(Server).where(
                Server.account_id == account_id, Server.group_id == group_id, Server.server_id == server_id
            )
        )

    async def named(self, *, account_id: int, group_id: int, name: str) -> Server | None:
        found = sa.select(Server).where(
            Server.account_id == account_id, Server.group_id == group_id, Server.name == name
        )
        return await self._first(found.with_for_update())

    async def of_group(self, *, account_id: int, group_id: int) -> Sequence[Server]:
        statement = sa.select(Server).where(Server.account_id == account_id, Server.group_id == group_id)
        return (await self._session.scalars(statement.order_by(Server.server_id))).all()

    async def of_account(self, *, account_id: int, server_id: int, lock: bool = False) -> Server | None:
        """Finds a server of the account. `lock`: locks it until the transaction ends."""
        statement = sa.select(Server).where(Server.account_id == account_id, Server.server_id == server_id)
        if lock:
            statement = statement.with_for_update().execution_options(populate_existing=True)
        return await self._first(statement)

    async def by_ids(self, server_ids: Sequence[int]) -> Mapping[int, Server]:
        found = await self._session.scalars(sa.select(Server).where(Server.server_id.in_(server_ids)))
        return {server.server_id: server for server in found.all()}

    async def delete(self, server: Server) -> None:
        await self._session.delete(server)
        await self._session.flush()

    async def enrol(self, *, enrolment_hash: str, secret_hash: str, now: datetime) -> Server | None:
        """Replaces the token by the secret. Returns None for an unknown, used or expired token.

        A single statement, so that of two enrolments with one token only one succeeds.
        """
        statement = (
            sa.update(Server)
            .where(Server.enrolment_hash == enrolment_hash, Server.enrolment_expires_at > now)
            .values(enrolment_hash=None, enrolment_expires_at=None, secret_hash=secret_hash, enrolled_at=now)
            .returning(Server)
        )
        return await self._session.scalar(statement)

    async def store_heartbeat(self, server: Server, *, now: datetime, report: ServerReport) -> None:
        """Stores a heartbeat of the server's agent."""
        server.last_heartbeat_at = now
        server.agent_version = report.agent_version
        server.milli_cpu, server.ram_mb, server.disk_mb = report.milli_cpu, report.ram_mb, report.disk_mb
        server.gpus = [dict(gpu) for gpu in report.gpus]
        server.used = dict(report.used)
        server.runs_containers, server.programs = report.runs_containers, list(report.programs)
        server.capacity = {
            "milli_cpu": report.milli_cpu,
            "ram_mb": report.ram_mb,
            "disk_mb": report.disk_mb,
            "gpu_models": list(report.gpu_models),
        }
        await self._session.flush()

    async def mark_unavailable(self, *, since: datetime, now: datetime) -> Sequence[WatchedServer]:
        """Marks and returns servers without a heartbeat since then. Each is returned once, to one caller."""
        silent = (Server.last_heartbeat_at < since, Server.unavailable_since.is_(None))
        return await self._watched(sa.update(Server).where(*silent).values(unavailable_since=now))

    async def mark_available(self, *, since: datetime) -> Sequence[WatchedServer]:
        back = (Server.last_heartbeat_at >= since, Server.unavailable_since.is_not(None))
        return await self._watched(sa.update(Server).where(*back).values(unavailable_since=None))

    async def lock_changed(self, limit: int, *, before: datetime) -> Sequence[tuple[Server, str]]:
        """Locks and returns servers whose capacity is not what was logged before then, with the names of their groups.

        Skips servers that somebody else has locked.
        """
        has = sa.func.jsonb_build_object(
            "milli_cpu", Server.milli_cpu, "ram_mb", Server.ram_mb, "disk_mb", Server.disk_mb, "gpus", Server.gpus
        )
        statement = (
            sa.select(Server, ResourceGroup.name)
            .join(ResourceGroup, ResourceGroup.group_id == Server.group_id)
            .where(Server.milli_cpu.is_not(None), Server.logged.is_distinct_from(has))
            .where(sa.or_(Server.logged_at.is_(None), Server.logged_at < before))
            .order_by(Server.server_id)
            .limit(limit)
            .with_for_update(of=Server, skip_locked=True)
        )
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def drain_expiring(self, now: datetime, *, most: timedelta) -> Sequence[WatchedServer]:
        """Begins to drain servers in the last tenth of their lifetime, at most `most` before its end. Returns them."""
        lifetime = sa.extract("epoch", Server.expires_at - Server.created_at)
        left = sa.extract("epoch", Server.expires_at - now)
        ends = left <= sa.func.least(most.total_seconds(), lifetime / 10)
        due = (Server.draining_since.is_(None), Server.expires_at.is_not(None), ends)
        return await self._watched(sa.update(Server).where(*due).values(draining_since=now))

    async def _watched(self, statement: sa.Update) -> Sequence[WatchedServer]:
        joined = statement.where(ResourceGroup.group_id == Server.group_id).returning(
            Server.server_id, Server.account_id, Server.name, ResourceGroup.name
        )
        rows = await self._session.execute(joined, execution_options={"synchronize_session": False})
        return [WatchedServer(*row) for row in rows]

    async def _first(self, statement: sa.Select[Server]) -> Server | None:
        return (await self._session.scalars(statement)).first()
