"""SQL of what an instance costs its account: its share of the account's own servers that have a price."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.tables import Model
from mlpcore.features.placement.effective_group import GROUP_ID, with_group
from mlpcore.features.placement.needs import Needs, needs_of
from mlpcore.features.resource_groups.schemas import HOURS, TariffPeriod
from mlpcore.features.servers.tables import Server


class ServerPrices:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def price_of_instance_hour(self, model: Model) -> float | None:
        """Returns the average over the servers: the larger of the instance's shares of processor time and memory.

        None if no server has a price and has reported what it has, or if the servers are another account's: what they
        cost is not shown to others, and the rent of the group does not depend on the number of instances.
        """
        group = with_group(sa.select(GROUP_ID).select_from(Model)).where(Model.model_id == model.model_id)
        statement = sa.select(
            Server.tariffication_price, Server.tariffication_period, Server.milli_cpu, Server.ram_mb
        ).where(
            Server.group_id == group.scalar_subquery(),
            Server.account_id == model.account_id,
            Server.tariffication_price > 0,
        )
        needs = needs_of(model)
        rows = (await self._session.execute(statement)).all()
        found = [
            float(price) / HOURS[TariffPeriod(period)] * _share(needs, milli_cpu, ram_mb)
            for price, period, milli_cpu, ram_mb in rows
            if period is not None and milli_cpu and ram_mb
        ]
        return round(sum(found) / len(found), 9) if found else None


def _share(needs: Needs, milli_cpu: int, ram_mb: int) -> float:
    return min(1.0, max(needs.milli_cpu / milli_cpu, needs.ram_mb / ram_mb))
