"""What a server should do with its instances, whoever runs them: run them, with all that they need, or end them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from mlpcore.features.buckets.objects import StorageAccess
from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.images.hiding import is_hidden, may_learn
from mlpcore.features.images.tables import ImageColumns
from mlpcore.features.instances.launching.environment import PlatformAddresses, platform_addresses, storage_user
from mlpcore.features.instances.launching.granted import Granted, granted, needed
from mlpcore.features.instances.launching.launch import Environments, Launch
from mlpcore.features.instances.lifecycle.ending import may_end
from mlpcore.features.instances.lifecycle.seen import SeenInstance
from mlpcore.features.instances.ports import MountedImages, StartLogins, StartSecrets, StartStorage
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
from mlpcore.features.instances.room_repository import HeldRoom, RoomRepository
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.mounts import mounted_ids
from mlpcore.features.models.settings.blocks import ModelHttpSettingsData
from mlpcore.features.models.tables import Model
from mlpcore.features.servers.tables import Server
from mlpcore.settings import MlpcoreSettings
from mlplace_contracts.internal.hosting import DataMount, RegistryLogin, ReportedPhase
from mlplace_kit.clock import Clock
from mlplace_kit.image_addresses import registry_of

_NO_LOGINS: Final[Mapping[tuple[int, str], RegistryLogin]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a server should do with one instance: run it in this generation, or end it if `stop`.

    `complete`: whether `launch`, `login` and those of `mounts` have secrets. A server that has shown the instance in
    this generation has them already, and gets none. `stop_grace_seconds`: between asking it to end and ending it;
    with `force` it ends at once. `http_port`: it listens for HTTP there, and gates have to reach it. `address_hidden`:
    the account must not learn the address of `image`.
    """

    instance_id: int
    generation: int
    account_id: int
    model_id: int
    complete: bool
    image: str
    address_hidden: bool
    launch: Launch = field(repr=False)
    room: Granted
    http_port: int | None
    mounts: tuple[DataMount, ...]
    login: RegistryLogin | None
    stop: bool
    stop_grace_seconds: int
    force: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOrders:
    """All that should run on a server. What is in neither of both should not run there.

    `kept`: instances that go on as they were seen, and need no order.
    """

    orders: Sequence[Order]
    kept: frozenset[int]


class Orders:
    def __init__(
        self,
        *,
        instances: InstanceRepository,
        rooms: RoomRepository,
        connections: ConnectionRepository,
        environments: Environments,
        data_images: MountedImages,
        secrets: StartSecrets,
        logins: StartLogins,
        storage: StartStorage,
        settings: MlpcoreSettings,
        clock: Clock,
    ) -> None:
        self._instances = instances
        self._rooms = rooms
        self._connections = connections
        self._environments = environments
        self._data_images = data_images
        self._secrets = secrets
        self._logins = logins
        self._storage = storage
        self._settings = settings
        self._clock = clock

    async def of_server(
        self,
        server: Server,
        instances: Sequence[Instance],
        *,
        seen: Mapping[int, SeenInstance],
        connected: frozenset[int],
        keeping: bool,
        mounting: bool,
    ) -> ServerOrders:
        """Returns what should run on the server, of these instances, which are there.

        `keeping`: what goes on needs no order. `mounting`: the server can mount data images. One that cannot would
        start the instance without them.
        """
        draining = self._draining(instances, seen, connected)
        kept = await self._kept(instances, seen) | (draining & seen.keys()) if keeping else frozenset[int]()
        others = [instance for instance in instances if instance.instance_id not in kept | draining]
        if not others:
            return ServerOrders(orders=(), kept=kept)
        orders = await self._orders(server, others, connected, seen, mounting=mounting)
        return ServerOrders(orders=orders, kept=kept)

    def _draining(
        self, instances: Sequence[Instance], seen: Mapping[int, SeenInstance], connected: frozenset[int]
    ) -> frozenset[int]:
        """Returns the ids of instances that may finish their calls before they end, and that the server does not show.

        An order would start them anew. They get the order to end when their time is over.
        """
        return frozenset(
            each.instance_id
            for each in instances
            if each.state == InstanceState.REMOVING
            and not _is_shown(each, seen.get(each.instance_id))
            and not self._may_end(each, connected)
        )

    async def _kept(self, instances: Sequence[Instance], seen: Mapping[int, SeenInstance]) -> frozenset[int]:
        """Returns the ids of instances that go on as they are. Most turns of most servers have only these, so they
        need not be described, which takes half of the time of a turn.
        """
        going = [i for i in instances if i.state != InstanceState.REMOVING and _goes_on(i, seen.get(i.instance_id))]
        return await self._instances.with_image([instance.instance_id for instance in going])

    async def _orders(
        self,
        server: Server,
        instances: Sequence[Instance],
        connected: frozenset[int],
        seen: Mapping[int, SeenInstance],
        *,
        mounting: bool,
    ) -> Sequence[Order]:
        values = await self._values(server, instances, seen)
        orders = [self._one(instance, values, connected=connected, mounting=mounting) for instance in instances]
        return [order for order in orders if order is not None]

    async def _values(
        self, server: Server, instances: Sequence[Instance], seen: Mapping[int, SeenInstance]
    ) -> "_Values":
        """Reads secrets and other values for the start only for what the server has not shown."""
        addresses = platform_addresses(self._settings, await self._connections.members())
        numbers = [instance.instance_id for instance in instances]
        launch = await self._instances.launch_rows(numbers)
        mounted = await self._data_images.of_ids(mounted_ids(model for model, _ in launch.values()))
        rooms = await self._rooms.held(numbers, server_id=server.server_id)
        fresh = frozenset(i.instance_id for i in instances if not _is_shown(i, seen.get(i.instance_id)))
        starting = [launch[number][0] for number in fresh]
        storing = [i for i in instances if i.instance_id in fresh and i.state != InstanceState.REMOVING]
        return _Values(
            server_owner=server.account_id,
            addresses=addresses,
            launch=launch,
            mounted=mounted,
            rooms=rooms,
            vram_mb={gpu["gpu_id"]: gpu["vram_mb"] for gpu in server.gpus},
            fresh=fresh,
            secrets=await self._secrets.of_models(starting),
            logins=await self._logins.of_accounts({model.account_id for model in starting}),
            storage=await self._storage.given([storage_user(instance) for instance in storing]),
        )

    def _one(self, instance: Instance, values: "_Values", *, connected: frozenset[int], mounting: bool) -> Order | None:
        """Returns None if there is nothing to run, or not here: the server ends the instance."""
        model, image = values.launch[instance.instance_id]
        if image is not None and not _is_told(model, image, values.server_owner):
            image = None
        leaving = instance.state == InstanceState.REMOVING
        fresh = instance.instance_id in values.fresh
        logins = values.logins if fresh else _NO_LOGINS
        # The server has mounted what it needs to stop one.
        mounts = () if leaving else _mounts(model, values, logins)
        if not leaving and (image is None or mounts is None or (mounts and not mounting)):
            return None
        stop = leaving and self._may_end(instance, connected)
        complete = fresh and not stop
        return Order(
            instance_id=instance.instance_id,
            generation=instance.generation,
            account_id=instance.account_id,
            model_id=instance.model_id,
            complete=complete,
            image=image.image if image is not None else "",
            address_hidden=image is not None and is_hidden(image, model.account_id),
            launch=self._launch(instance, model, values, complete=complete),
            room=granted(values.rooms.get(instance.instance_id) or needed(model), values.vram_mb),
            http_port=_http_port(model),
            mounts=mounts or (),
            login=None if image is None or stop else _login(model, image, logins),
            stop=stop,
            stop_grace_seconds=self._settings.stop_grace_seconds,
            force=instance.force_stop,
        )

    def _may_end(self, instance: Instance, connected: frozenset[int]) -> bool:
        drain = timedelta(seconds=self._settings.drain_seconds)
        is_connected = instance.instance_id in connected
        return may_end(instance, connected=is_connected, now=self._clock.now(), drain=drain)

    def _launch(self, instance: Instance, model: Model, values: "_Values", *, complete: bool) -> Launch:
        if complete:
            secrets, storage = values.secrets.get(model.model_id, {}), values.storage.get(instance.instance_id)
            return self._environments.launch(instance, model, values.addresses, secrets, storage)
        return self._environments.for_running(instance, model, values.addresses)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Values:
    """What orders are made of. `fresh`: the instances that the server has not shown; `vram_mb`: of its GPUs."""

    server_owner: int
    addresses: PlatformAddresses
    launch: Mapping[int, tuple[Model, ImageColumns | None]]
    mounted: Mapping[int, DataImage]
    rooms: Mapping[int, HeldRoom]
    vram_mb: Mapping[str, int]
    fresh: frozenset[int]
    secrets: Mapping[int, Mapping[str, str]] = field(repr=False)
    logins: Mapping[tuple[int, str], RegistryLogin] = field(repr=False)
    storage: Mapping[int, StorageAccess] = field(repr=False)


def _login(model: Model, image: ImageColumns, logins: Mapping[tuple[int, str], RegistryLogin]) -> RegistryLogin | None:
    """Returns the account's credentials for its own image. Those of the owner of a shared image stay with the owner."""
    if image.account_id != model.account_id:
        return None
    return logins.get((model.account_id, registry_of(image.image)))


def _is_told(model: Model, image: ImageColumns, server_owner: int) -> bool:
    """Whether the server may learn the address. Placement avoids other servers, but the image or its access mode may
    have changed since.
    """
    return not is_hidden(image, model.account_id) or may_learn(server_owner, (image.account_id,))


def _mounts(
    model: Model, values: _Values, logins: Mapping[tuple[int, str], RegistryLogin]
) -> tuple[DataMount, ...] | None:
    """Returns None if the server must not learn the address of a data image, or if one is gone, as those of a deleted
    model may be.
    """
    found: list[DataMount] = []
    for mount in model.data_image_mounts:
        image = values.mounted.get(mount["dataImageId"])
        if image is None or not _is_told(model, image, values.server_owner):
            return None
        found.append(
            DataMount(
                image=image.image,
                source_path=image.source_path,
                target_path=str(mount["targetPath"]),
                address_hidden=is_hidden(image, model.account_id),
                login=_login(model, image, logins),
            )
        )
    return tuple(found)


def _is_shown(instance: Instance, seen: SeenInstance | None) -> bool:
    return seen is not None and seen.generation == instance.generation


def _goes_on(instance: Instance, seen: SeenInstance | None) -> bool:
    """Whether the server runs the instance, or tries to."""
    return seen is not None and _is_shown(instance, seen) and seen.run.phase is not ReportedPhase.EXITED


def _http_port(model: Model) -> int | None:
    settings = ModelHttpSettingsData.model_validate(model.http_settings)
    return settings.http_port if settings.is_http_enabled else None
