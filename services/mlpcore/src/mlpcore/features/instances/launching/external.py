"""Instances that owners run themselves: the platform provides the token, the command and the compose file."""

from mlpcore.features.instances.launching.creation import InstanceFactory
from mlpcore.features.instances.launching.environment import (
    compose_file,
    docker_command,
    platform_addresses,
    storage_user,
)
from mlpcore.features.instances.launching.launch import Environments
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.limits import InstanceLimits
from mlpcore.features.instances.ports import StartStorage
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
from mlpcore.features.instances.schemas import ExternalConnectionInfoData, ModelInstancePK
from mlpcore.features.instances.states import LEAVING, Hosting, InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.settings.blocks import ModelHttpSettingsData
from mlpcore.features.models.tables import Model
from mlpcore.settings import MlpcoreSettings
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.violations import broken


class ExternalService:
    def __init__(
        self,
        *,
        instances: InstanceRepository,
        connections: ConnectionRepository,
        lifecycle: Lifecycle,
        factory: InstanceFactory,
        environments: Environments,
        limits: InstanceLimits,
        storage: StartStorage,
        settings: MlpcoreSettings,
    ) -> None:
        self._instances = instances
        self._connections = connections
        self._lifecycle = lifecycle
        self._factory = factory
        self._environments = environments
        self._limits = limits
        self._storage = storage
        self._settings = settings

    async def create(self, model: Model, *, http_host: str | None, http_port: int | None) -> ExternalConnectionInfoData:
        """Creates an external instance. With `http_host`, gates reach it there over HTTP.

        `http_port` defaults to the port in the model's settings. Raises InstanceLimitExceeded, ValidationFailed.
        """
        http_port = _checked_port(model, http_host, http_port)
        await self._limits.demand(model, None, 1)
        instance = await self._factory.create(model, Hosting.EXTERNAL, http_host=http_host, http_port=http_port)
        await self._storage.given([storage_user(instance)])
        return (await self._shown(model, [instance]))[0]

    async def listed(self, model: Model) -> list[ExternalConnectionInfoData]:
        found = await self._instances.external(account_id=model.account_id, model_id=model.model_id)
        return await self._shown(model, [i for i in found if InstanceState(i.state) not in LEAVING])

    async def delete(self, model: Model, instance_id: int) -> list[ExternalConnectionInfoData]:
        """Deletes the instance; the gates close its connection. Returns the remaining ones."""
        instance = await self._instances.find(
            account_id=model.account_id, model_id=model.model_id, instance_id=instance_id, lock=True
        )
        if instance is None or instance.is_managed or instance.state == InstanceState.DELETED:
            raise NotFound(entity="instance")
        await self._lifecycle.remove(instance, force=True, reason="The external connection was deleted")
        return await self.listed(model)

    async def _shown(self, model: Model, instances: list[Instance]) -> list[ExternalConnectionInfoData]:
        gates = await self._connections.connected_gates([i.instance_id for i in instances])
        addresses = platform_addresses(self._settings, await self._connections.members())
        address = await self._address(model)
        storage = await self._storage.known([storage_user(instance) for instance in instances])
        shown: list[ExternalConnectionInfoData] = []
        for instance in instances:
            found = self._environments.handed_out(instance, model, addresses, storage=storage.get(instance.instance_id))
            whole, withheld = found.variables, found.withheld
            shown.append(
                ExternalConnectionInfoData(
                    id=ModelInstancePK(
                        account_id=instance.account_id, model_id=instance.model_id, instance_id=instance.instance_id
                    ),
                    connected=instance.instance_id in gates,
                    docker_run_command=docker_command(address, whole, withheld=withheld) if address else None,
                    docker_compose_content=compose_file(model.name, address, whole, withheld=withheld)
                    if address
                    else None,
                    env_variables=whole,
                    withheld_variables=list(withheld),
                    hostname=instance.hostname,
                    version=instance.sdk_version,
                    image_name=instance.built_in_image_name,
                    http_host=instance.http_host,
                    http_port=instance.http_port,
                )
            )
        return shown

    async def _address(self, model: Model) -> str | None:
        """Returns the address of the image; None without an image and for a restricted image of another account."""
        image = await self._instances.image_of(model)
        if image is None or (image.access_mode == "restricted" and image.account_id != model.account_id):
            return None
        return image.image


def _checked_port(model: Model, host: str | None, port: int | None) -> int | None:
    if host is None and port is None:
        return None
    if host is None:
        raise ValidationFailed({"httpHost": broken("required_with", other="httpPort")})
    settings = ModelHttpSettingsData.model_validate(model.http_settings)
    if not settings.is_http_enabled:
        raise ValidationFailed({"httpHost": broken("http_off")})
    return port or settings.http_port
