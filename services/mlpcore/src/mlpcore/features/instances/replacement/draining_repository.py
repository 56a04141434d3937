"""SQL of servers that are being drained, and of the instances on them."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.conditions import active, live, moving
from mlpcore.features.instances.tables import Instance
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlplace_runtime.db.polling import ONE

TO_DRAIN: Final = sa.select(ONE).where(
    sa.exists().where(sa.or_(Server.draining_since.is_not(None), Server.expires_at.is_not(None)))
)
"""Finds something if there are servers that are being drained, or whose lifetime is limited."""


class DrainingRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def models(self) -> Sequence[int]:
        """Returns the models with instances that move from servers that are being drained."""
        statement = sa.select(Instance.model_id).where(active(), moving())
        return (await self._session.scalars(statement.distinct().order_by(Instance.model_id))).all()

    async def moving(self, instance_ids: Sequence[int]) -> set[int]:
        """Returns those of the instances that move from servers that are being drained."""
        statement = sa.select(Instance.instance_id).where(Instance.instance_id.in_(instance_ids), moving())
        return set((await self._session.scalars(statement)).all())

    async def lock_servers(self) -> Sequence[tuple[Server, str, bool]]:
        """Locks and returns the servers that are being drained, the names of their groups, and whether they are used.

        Skips servers that somebody else has locked.
        """
        used = sa.exists().where(Instance.server_id == Server.server_id, live())
        statement = (
            sa.select(Server, ResourceGroup.name, used)
            .join(ResourceGroup, ResourceGroup.group_id == Server.group_id)
            .where(Server.draining_since.is_not(None))
            .order_by(Server.server_id)
            .with_for_update(of=Server, skip_locked=True)
            .execution_options(populate_existing=True)
        )
        return [(row[0], row[1], row[2]) for row in (await self._session.execute(statement)).all()]
