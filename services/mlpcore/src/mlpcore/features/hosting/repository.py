"""SQL of the talk with agents."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.servers.tables import Server


class AgentRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def server(self, *, account_id: int, server_id: int) -> Server | None:
        return await self._first(account_id, server_id, lock=False)

    async def lock_server(self, *, account_id: int, server_id: int) -> Server | None:
        """One heart-beat of a server at a time."""
        return await self._first(account_id, server_id, lock=True)

    async def _first(self, account_id: int, server_id: int, *, lock: bool) -> Server | None:
        statement = sa.select(Server).where(Server.server_id == server_id, Server.account_id == account_id)
        if lock:
            statement = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(statement)).first()

    async def update(self, server: Server, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            setattr(server, name, value)
        await self._session.flush()
