from mlpcore.features.models.reading.access import OwnedModels
from mlpcore.features.models.settings.hidden import masked_setting, merged_setting
from mlpcore.features.models.tables import Model
from mlpcore.features.predict_configs.repository import PredictConfigRepository
from mlpcore.features.predict_configs.schemas import ConfigCreateUpdateData, PredictConfigData, PredictConfigPK
from mlpcore.features.predict_configs.tables import PredictConfig
from mlplace_contracts.events import PredictConfigChanged
from mlplace_contracts.internal.predict_configs import ResolvedPredictConfig
from mlplace_kit.errors import ConfigNotFound, ValidationFailed
from mlplace_kit.violations import broken
from mlplace_runtime.db.outbox import Publisher
from mlplace_runtime.web.policy import Access


class PredictConfigService:
    """A model has at most one default configuration: the last one set. Each change publishes an event for the gates."""

    def __init__(self, repository: PredictConfigRepository, models: OwnedModels, outbox: Publisher) -> None:
        self._repository = repository
        self._models = models
        self._outbox = outbox

    async def listed(self, *, access: Access, model: str) -> list[PredictConfigData]:
        found = await self._models.get(access, model)
        rows = await self._repository.of_model(account_id=found.account_id, model_id=found.model_id)
        return [_data(row) for row in rows]

    async def read(self, *, access: Access, model: str, config_id: int) -> PredictConfigData:
        return _data(await self._existing(await self._models.get(access, model), config_id))

    async def resolve(self, *, model_id: int, config_id: int) -> ResolvedPredictConfig | None:
        """Returns the configuration with its secrets, as gates send it to instances."""
        found = await self._repository.of_live_model(model_id=model_id, config_id=config_id)
        return None if found is None else ResolvedPredictConfig(config=found.config)

    async def create(self, *, access: Access, model: str, data: ConfigCreateUpdateData) -> PredictConfigData:
        found = await self._models.get(access, model, lock=True)
        if data.name is None:
            raise ValidationFailed({"name": broken("required")})
        before = await self._no_default(found) if data.is_default else None
        config = PredictConfig(
            account_id=found.account_id,
            model_id=found.model_id,
            name=data.name,
            is_default=bool(data.is_default),
            config=str(merged_setting("config", data.config, "{}")),
        )
        await self._repository.add(config)
        await self._tell(found, config, before)
        return _data(config)

    async def update(
        self, *, access: Access, model: str, config_id: int, data: ConfigCreateUpdateData
    ) -> PredictConfigData:
        found = await self._models.get(access, model, lock=True)
        config = await self._existing(found, config_id)
        before = await self._no_default(found) if data.is_default else None
        config.is_default = config.is_default if data.is_default is None else data.is_default
        config.name = data.name or config.name
        config.config = str(merged_setting("config", data.config, config.config))
        await self._repository.flush(config)
        await self._tell(found, config, before)
        return _data(config)

    async def delete(self, *, access: Access, model: str, config_id: int) -> None:
        found = await self._models.get(access, model, lock=True)
        config = await self._existing(found, config_id)
        self._models.advance(found)
        await self._outbox.add(config_changed(config, found, active=False))
        await self._repository.delete(config)

    async def _no_default(self, model: Model) -> PredictConfig | None:
        """Unsets the default configuration and returns it."""
        return await self._repository.take_default(account_id=model.account_id, model_id=model.model_id)

    async def _tell(self, model: Model, config: PredictConfig, before: PredictConfig | None) -> None:
        """Publishes the changed configurations with the model's version: the lock of the model's row orders changes."""
        self._models.advance(model)
        touched = [config] if before is None or before is config else [before, config]
        await self._outbox.add(*(config_changed(one, model, active=True) for one in touched))

    async def _existing(self, model: Model, config_id: int) -> PredictConfig:
        config = await self._repository.find(account_id=model.account_id, model_id=model.model_id, config_id=config_id)
        if config is None:
            raise ConfigNotFound
        return config


def config_changed(config: PredictConfig, model: Model, *, active: bool) -> PredictConfigChanged:
    return PredictConfigChanged(
        version=model.version,
        config_id=config.config_id,
        account_id=config.account_id,
        model_id=config.model_id,
        is_default=config.is_default,
        config=config.config,
        active=active,
    )


def _data(config: PredictConfig) -> PredictConfigData:
    return PredictConfigData(
        id=PredictConfigPK(account_id=config.account_id, model_id=config.model_id, config_id=config.config_id),
        name=config.name,
        is_default=config.is_default,
        config=str(masked_setting("config", config.config)),
    )
