"""SQL of requested numbers of instances, and of what the reconciler has to settle."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.conditions import active, live, moving, on_server, scaled, waiting
from mlpcore.features.instances.platform import HostingNow
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.servers.tables import Server
from mlplace_contracts.enums import HostingType
from mlplace_runtime.db.polling import ONE


def _stranded() -> sa.ColumnElement[bool]:
    gone = ~sa.exists().where(Server.server_id == Instance.server_id).correlate(Instance)
    left = sa.and_(on_server(), gone)
    nowhere = sa.and_(~on_server(), Instance.state == InstanceState.REMOVING.value)
    return sa.and_(live(), sa.or_(left, nowhere))


def _unsettled() -> sa.Select[int]:
    mine = sa.and_(
        Instance.model_id == HostingRequest.model_id,
        scaled(),
        active(),
        ~moving(),
    )
    there = sa.select(sa.func.count()).where(mine).correlate(HostingRequest).scalar_subquery()
    return sa.select(HostingRequest.model_id).where(HostingRequest.requested + HostingRequest.surge != there)


TO_RECONCILE: Final = sa.select(ONE).where(
    sa.or_(
        sa.select(Instance.instance_id).where(sa.or_(_stranded(), waiting())).exists(),
        _unsettled().exists(),
    )
)
"""Finds something if there are stranded or waiting instances, or unsettled models."""


class RequestRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock(self, *, account_id: int, model_id: int) -> HostingRequest:
        """Locks the model's row, creating it when missing. Every change of its instances on servers takes this lock."""
        values = {"model_id": model_id, "account_id": account_id, "requested": 0, "surge": 0}
        await self._session.execute(postgresql.insert(HostingRequest).values(values).on_conflict_do_nothing())
        statement = sa.select(HostingRequest).where(
            HostingRequest.model_id == model_id, HostingRequest.account_id == account_id
        )
        locked = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(locked)).one()

    async def model(self, model_id: int) -> Model | None:
        return await self._session.get(Model, model_id)

    async def hosting(self, model_id: int) -> HostingNow | None:
        """Returns what is stored of a model that is not deleted, whatever the session has read of it before.

        Under the lock of its request, it is not deleted, and stays on the platform if it is there.
        """
        statement = sa.select(Model.hosting_type, Model.prototype).where(
            Model.model_id == model_id, Model.deleted_at.is_(None)
        )
        row = (await self._session.execute(statement)).one_or_none()
        return None if row is None else HostingNow(HostingType(row[0]), row[1])

    async def requested(self, model_id: int) -> int:
        return (
            await self._session.scalar(sa.select(HostingRequest.requested).where(HostingRequest.model_id == model_id))
            or 0
        )

    async def unsettled_models(self) -> Sequence[int]:
        """Returns models whose instances on servers are not as many as requested."""
        return (await self._session.scalars(_unsettled().order_by(HostingRequest.model_id))).all()

    async def lock_stranded(self) -> Sequence[Instance]:
        """Locks and returns the instances of deleted servers, and those being removed that have no server."""
        statement = sa.select(Instance).where(_stranded())
        locked = statement.order_by(Instance.instance_id).with_for_update(skip_locked=True)
        return (await self._session.scalars(locked.execution_options(populate_existing=True))).all()
