"""SQL of rents: the accounts that currently use priced resource groups of others, and the stored rents."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.conditions import active
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.placement.tables import Allocation
from mlpcore.features.rents.tables import Rent
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlplace_kit.money import Currency, to_nano

_LOCK = 0x7265_6E74
_GROUP = "RESOURCE_GROUP"


@dataclass(frozen=True, slots=True)
class RentedUse:
    """One account's use of a priced resource group of another account."""

    source_type: str
    source_id: int
    source_name: str
    owner_account_id: int
    payer_account_id: int
    price_nano: int
    currency: str
    period: str

    @property
    def key(self) -> tuple[str, int, int]:
        return self.source_type, self.source_id, self.payer_account_id


class RentRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def hold(self) -> None:
        """Locks comparisons: one runs at a time, over all processes."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))

    async def uses(self, currency: Currency, *, since: datetime) -> list[RentedUse]:
        """Returns a use for each account whose instances hold room in another account's group with price and period.

        An instance counts from its placement until its removal begins or it has lost its room, as it does when its
        server is deleted; and not while its server is lost. `since`: the oldest heartbeat of a server that is not lost;
        an instance that is connected runs, whatever the server says. `currency` applies to groups that name none.
        """
        statement = (
            sa.select(
                ResourceGroup.group_id,
                ResourceGroup.name,
                ResourceGroup.account_id,
                Instance.account_id,
                ResourceGroup.price,
                sa.func.coalesce(ResourceGroup.currency, currency.value),
                ResourceGroup.tariffication_period,
            )
            .join(Server, Server.group_id == ResourceGroup.group_id)
            .join(Allocation, Allocation.server_id == Server.server_id)
            .join(Instance, Instance.instance_id == Allocation.instance_id)
            .where(
                active(),
                sa.or_(Server.last_heartbeat_at >= since, Instance.state == InstanceState.STARTED.value),
                Instance.account_id != ResourceGroup.account_id,
                ResourceGroup.price > 0,
                ResourceGroup.tariffication_period.is_not(None),
            )
            .distinct()
        )
        rows = (await self._session.execute(statement)).all()
        return [
            RentedUse(_GROUP, group_id, name, owner, payer, to_nano(price), currency_name, period)
            for group_id, name, owner, payer, price, currency_name, period in rows
            if price is not None and period is not None
        ]

    async def known(self) -> Sequence[Rent]:
        return (await self._session.scalars(sa.select(Rent).order_by(Rent.rent_id))).all()

    async def store(self, rent: Rent) -> None:
        self._session.add(rent)
        await self._session.flush()
