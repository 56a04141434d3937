"""SQL of predict configurations. Callers hold the model's row lock when they write."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.tables import Model
from mlpcore.features.predict_configs.tables import PredictConfig
from mlpcore.unique_names import unique_name


class PredictConfigRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_model(self, *, account_id: int, model_id: int) -> Sequence[PredictConfig]:
        statement = sa.select(PredictConfig).where(
            PredictConfig.account_id == account_id, PredictConfig.model_id == model_id
        )
        return (await self._session.scalars(statement.order_by(PredictConfig.config_id))).all()

    async def find(self, *, account_id: int, model_id: int, config_id: int) -> PredictConfig | None:
        statement = sa.select(PredictConfig).where(
            PredictConfig.account_id == account_id,
            PredictConfig.model_id == model_id,
            PredictConfig.config_id == config_id,
        )
        return (await self._session.scalars(statement)).first()

    async def of_live_model(self, *, model_id: int, config_id: int) -> PredictConfig | None:
        """Finds a configuration of a live model of any account, for gates."""
        statement = (
            sa.select(PredictConfig)
            .join(Model, Model.model_id == PredictConfig.model_id)
            .where(PredictConfig.model_id == model_id, PredictConfig.config_id == config_id, Model.deleted_at.is_(None))
        )
        return (await self._session.scalars(statement)).first()

    async def take_default(self, *, account_id: int, model_id: int) -> PredictConfig | None:
        """Unsets the model's default configuration and returns it; None without a default."""
        statement = sa.select(PredictConfig).where(
            PredictConfig.account_id == account_id, PredictConfig.model_id == model_id, PredictConfig.is_default
        )
        found = (await self._session.scalars(statement)).first()
        if found is not None:
            found.is_default = False
            await self._session.flush()
        return found

    async def all_with_model(self) -> Sequence[tuple[PredictConfig, Model]]:
        """Returns the configurations of all live models of all accounts, for the platform's own events."""
        statement = (
            sa.select(PredictConfig, Model)
            .join(Model, Model.model_id == PredictConfig.model_id)
            .where(Model.deleted_at.is_(None))
            .order_by(PredictConfig.config_id)
        )
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def add(self, config: PredictConfig) -> None:
        self._session.add(config)
        await self.flush(config)

    async def flush(self, config: PredictConfig) -> None:
        """Raises NameAlreadyExists when the model has another configuration of this name."""
        with unique_name("a configuration", config.name):
            await self._session.flush()

    async def delete(self, config: PredictConfig) -> None:
        await self._session.delete(config)
