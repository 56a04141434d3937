"""SQL of the models whose instances are replaced together."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession, AsyncSessionTransaction

from mlpcore.features.instances.tables import HostingRequest
from mlpcore.features.models.tables import Model


class ExchangeRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def attempt(self) -> AsyncSessionTransaction:
        """A part of the transaction that an exception undoes, without the rest."""
        return self._session.begin_nested()

    async def models_with_instances(self) -> Sequence[int]:
        """Returns the models of all accounts that request instances on servers."""
        statement = sa.select(HostingRequest.model_id).where(HostingRequest.requested > 0)
        return (await self._session.scalars(statement.order_by(HostingRequest.model_id))).all()

    async def models_with_image(self, *, account_id: int, image_id: int) -> Sequence[int]:
        """Returns the account's models with this image that request instances on servers."""
        statement = (
            sa.select(HostingRequest.model_id)
            .join(Model, Model.model_id == HostingRequest.model_id)
            .where(
                HostingRequest.requested > 0,
                Model.account_id == account_id,
                Model.image_id == image_id,
                Model.deleted_at.is_(None),
            )
        )
        return (await self._session.scalars(statement.order_by(HostingRequest.model_id))).all()
