"""SQL of servers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.resource_groups.tables import ResourceGroup
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

    async def fresh_in_group(self, *, group_id: int, since: datetime) -> Sequence[Server]:
        """Returns the servers of the group whose agent has reported since then."""
        statement = sa.select(Server).where(Server.group_id == group_id, Server.last_heartbeat_at >= since)
        return (await self._session.scalars(statement.order_by(Server.server_id))).all()

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

    async def heard(
        self, server: Server, *, now: datetime, agent_version: str | None, capacity: Mapping[str, object]
    ) -> None:
        """Stores a heartbeat of the server's agent."""
        server.last_heartbeat_at = now
        server.agent_version = agent_version
        server.capacity = dict(capacity)
        await self._session.flush()

    async def fallen_silent(self, *, since: datetime, now: datetime) -> Sequence[WatchedServer]:
        """Marks and returns servers without a heartbeat since then. Each is returned once, to one caller."""
        silent = (Server.last_heartbeat_at < since, Server.unavailable_since.is_(None))
        return await self._watched(sa.update(Server).where(*silent).values(unavailable_since=now))

    async def heard_again(self, *, since: datetime) -> Sequence[WatchedServer]:
        back = (Server.last_heartbeat_at >= since, Server.unavailable_since.is_not(None))
        return await self._watched(sa.update(Server).where(*back).values(unavailable_since=None))

    async def _watched(self, statement: sa.Update) -> Sequence[WatchedServer]:
        joined = statement.where(ResourceGroup.group_id == Server.group_id).returning(
            Server.server_id, Server.account_id, Server.name, ResourceGroup.name
        )
        rows = await self._session.execute(joined, execution_options={"synchronize_session": False})
        return [WatchedServer(*row) for row in rows]

    async def _first(self, statement: sa.Select[Server]) -> Server | None:
        return (await self._session.scalars(statement)).first()
