"""The platform's side of the protocol with the agents of hosting servers."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.hosting import capacity, reports
from mlpcore.features.hosting.capacity import Granted, granted, needed
from mlpcore.features.hosting.comparing import GpuComparison
from mlpcore.features.hosting.errors import EnrolmentRefused, ServerNotAuthorized
from mlpcore.features.hosting.ports import (
    AgentServers,
    Enrolments,
    GateStreams,
    GivenInstances,
    HeldRooms,
    MeasuredServers,
    MountedImages,
    StartLogins,
    StartSecrets,
)
from mlpcore.features.hosting.refused import RefusedInstances
from mlpcore.features.images.tables import ImageColumns
from mlpcore.features.instances.launching.environment import surroundings
from mlpcore.features.instances.launching.launch import Environments, Launch
from mlpcore.features.instances.lifecycle.ending import may_end
from mlpcore.features.instances.lifecycle.history import OutputHistory
from mlpcore.features.instances.lifecycle.runs import Runs
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.placements import OnServer
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.mounts import mounted_ids
from mlpcore.features.models.settings.blocks import ModelHttpSettingsData
from mlpcore.features.models.tables import Model
from mlpcore.features.servers.tables import Server
from mlpcore.settings import MlpcoreSettings
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_contracts.internal.hosting import (
    DataMount,
    DesiredInstance,
    DesiredState,
    Enrolled,
    Heartbeat,
    LogChunk,
    RegistryLogin,
    ReportedInstance,
    ReportedPhase,
)
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, new_credential, parse_credential
from mlplace_kit.image_addresses import registry_of
from mlplace_kit.names import PathRef
from mlplace_runtime.service import AccountDirectory

_FREED_SECONDS = 0.3
_NO_LOGINS: Mapping[tuple[int, str], RegistryLogin] = {}


class EnrolmentService:
    def __init__(self, servers: Enrolments, hasher: KeyedHasher, clock: Clock) -> None:
        self._servers = servers
        self._hasher = hasher
        self._clock = clock

    async def enrol(self, *, token: str) -> Enrolled:
        """Exchanges a token for a secret. A token works once, even concurrently. Raises EnrolmentRefused."""
        parsed = parse_credential(token)
        if parsed is None:
            raise EnrolmentRefused
        secret = new_credential(account_id=parsed.account_id, object_id=parsed.object_id).text
        server = await self._servers.enrol(
            enrolment_hash=self._hasher.digest(token), secret_hash=self._hasher.digest(secret), now=self._clock.now()
        )
        if server is None:
            raise EnrolmentRefused
        return Enrolled(account_id=server.account_id, server_id=server.server_id, secret=secret)


class HeartbeatService:
    def __init__(
        self,
        *,
        servers: AgentServers,
        accounts: AccountDirectory,
        instances: GivenInstances,
        rooms: HeldRooms,
        gpus: GpuComparison,
        refused: RefusedInstances,
        data_images: MountedImages,
        connections: GateStreams,
        output: OutputHistory,
        lifecycle: Lifecycle,
        runs: Runs,
        environments: Environments,
        secrets: StartSecrets,
        logins: StartLogins,
        samples: MeasuredServers,
        settings: MlpcoreSettings,
        hasher: KeyedHasher,
        clock: Clock,
    ) -> None:
        self._servers = servers
        self._accounts = accounts
        self._instances = instances
        self._rooms = rooms
        self._gpus = gpus
        self._refused = refused
        self._data_images = data_images
        self._connections = connections
        self._output = output
        self._lifecycle = lifecycle
        self._runs = runs
        self._environments = environments
        self._secrets = secrets
        self._logins = logins
        self._samples = samples
        self._settings = settings
        self._hasher = hasher
        self._clock = clock

    async def authorize(self, *, account: PathRef, server_id: int, secret: str) -> int:
        """Returns the account's id. Raises ServerNotAuthorized."""
        account_id = await self._account_id(account)
        server = await self._servers.of_account(account_id=account_id, server_id=server_id)
        if server is None or server.secret_hash is None or not self._hasher.matches(secret, server.secret_hash):
            raise ServerNotAuthorized
        return account_id

    async def _account_id(self, ref: PathRef) -> int:
        if ref.id is not None:
            return ref.id
        entry = await self._accounts.find(ref)
        return entry.account_id if entry else 0

    async def beat(self, *, account_id: int, server_id: int, heartbeat: Heartbeat) -> DesiredState:
        """Stores what runs on the server and returns what should run. Ignores reports of other servers' instances."""
        server = await self._servers.of_account(account_id=account_id, server_id=server_id, lock=True)
        if server is None:
            raise ServerNotAuthorized
        previous = server.last_heartbeat_at
        await self._servers.store_heartbeat(server, now=self._clock.now(), report=capacity.report_of(heartbeat))
        instances = await self._instances.lock_of_server(account_id=account_id, server_id=server_id)
        told = reports.newest_by_id(heartbeat.instances)
        for instance in instances:
            report = told.get(instance.instance_id)
            if report is not None and report.generation == instance.generation:
                run = reports.run_of(report, trusted=account_id == SYSTEM_ACCOUNT)
                await self._runs.note(instance, run, heard_before=previous)
        connected = await self._connections.connected_gates([i.instance_id for i in instances])
        for instance in instances:
            await self._lifecycle.settle(instance, connected=instance.instance_id in connected)
        await self._note_output(instances, heartbeat.logs)
        if heartbeat.samples:
            await self._samples.store(server, heartbeat.samples, instances)
        await self._refused.leave(server, instances)
        await self._gpus.compare(server, instances, told)
        here = [i for i in instances if i.state != InstanceState.DELETED and isinstance(i.placement, OnServer)]
        kept = await self._kept(here, told) if heartbeat.knows_kept else frozenset[int]()
        others = [instance for instance in here if instance.instance_id not in kept]
        desired: tuple[DesiredInstance, ...] = ()
        if others:
            desired = await self._desired(server, others, frozenset(connected), told, mounting=heartbeat.knows_mounts)
        return DesiredState(
            instances=desired,
            kept=tuple(sorted(kept)),
            heartbeat_seconds=self._pause(freed=len(here) < len(instances)),
        )

    def _pause(self, *, freed: bool) -> float:
        """Returns the seconds until the agent's next heartbeat.

        An agent that has freed room comes back when the scheduler, which that wakes, has given the room away.
        """
        usual = self._settings.heartbeat_seconds
        return min(usual, _FREED_SECONDS) if freed else usual

    async def _note_output(self, instances: Sequence[Instance], chunks: Sequence[LogChunk]) -> None:
        generations = {instance.instance_id: instance.generation for instance in instances}
        for chunk in chunks:
            if generations.get(chunk.instance_id) == chunk.generation and reports.is_sane(chunk):
                await self._output.append(
                    instance_id=chunk.instance_id,
                    generation=chunk.generation,
                    restart_count=chunk.restart_count,
                    offset=chunk.offset,
                    text=chunk.text,
                )

    async def _kept(self, instances: Sequence[Instance], told: Mapping[int, ReportedInstance]) -> frozenset[int]:
        """Returns the ids of instances that go on as they are. Most heartbeats of most servers have only these, so
        they need not be described, which takes half of the time of a heartbeat.
        """
        reported = [i for i in instances if i.state != InstanceState.REMOVING and _goes_on(i, told.get(i.instance_id))]
        return await self._instances.with_image([instance.instance_id for instance in reported])

    async def _desired(
        self,
        server: Server,
        instances: Sequence[Instance],
        connected: frozenset[int],
        told: Mapping[int, ReportedInstance],
        *,
        mounting: bool,
    ) -> tuple[DesiredInstance, ...]:
        """`mounting`: whether the agent knows data images. One of an earlier release would start the instance without
        them.

        Sends secrets and other values for the start only until the server reports the instance.
        """
        around = surroundings(self._settings, await self._connections.members())
        numbers = [instance.instance_id for instance in instances]
        launch = await self._instances.launch_rows(numbers)
        mounted = await self._data_images.of_ids(mounted_ids(model for model, _ in launch.values()))
        rooms = await self._rooms.held(numbers, server_id=server.server_id)
        vram_mb = {gpu["gpu_id"]: gpu["vram_mb"] for gpu in server.gpus}
        fresh = {i.instance_id for i in instances if not _is_told(i, told.get(i.instance_id))}
        starting = [launch[number][0] for number in fresh]
        secrets = await self._secrets.of_models(starting)
        logins = await self._logins.of_accounts({model.account_id for model in starting})
        drain = timedelta(seconds=self._settings.drain_seconds)
        desired: list[DesiredInstance] = []
        for instance in instances:
            model, image = launch[instance.instance_id]
            leaving = instance.state == InstanceState.REMOVING
            known = logins if instance.instance_id in fresh else _NO_LOGINS
            mounts = (
                () if leaving else _mounts(model, mounted, known)
            )  # the agent has mounted what it needs to stop one
            if not leaving and (image is None or mounts is None or (mounts and not mounting)):
                continue  # there is nothing to run, or not here: the agent stops the instance
            stop = leaving and may_end(
                instance, connected=instance.instance_id in connected, now=self._clock.now(), drain=drain
            )
            address = image.image if image is not None else ""
            if instance.instance_id in fresh and not stop:
                given = self._environments.launch(instance, model, around, secrets.get(model.model_id, {}))
            else:
                given = self._environments.told(instance, model, around)
            held = rooms.get(instance.instance_id) or needed(model)
            room = granted(held, vram_mb)
            login = None if image is None or stop else _login(model, image, known)
            one = self._one(instance, model, address, given, room, mounts or (), stop=stop)
            desired.append(one.model_copy(update={"login": login}) if login is not None else one)
        return tuple(desired)

    def _one(
        self,
        instance: Instance,
        model: Model,
        image: str,
        given: Launch,
        room: Granted,
        mounts: tuple[DataMount, ...],
        *,
        stop: bool,
    ) -> DesiredInstance:
        platform = {name: value for name, value in given.platform.items() if name != "HOSTNAME"}  # the agent sets it
        return DesiredInstance(
            instance_id=instance.instance_id,
            generation=instance.generation,
            account_id=instance.account_id,
            model_id=instance.model_id,
            image=image,
            platform_env=platform,
            service_env=given.service,
            command_flags=given.command_flags,
            memory_bytes=room.memory_bytes,
            milli_cpu=room.milli_cpu,
            disk_bytes=room.disk_bytes,
            gpu_ids=room.gpu_ids,
            gpu_memory_mb=room.gpu_memory_mb,
            stop=stop,
            stop_grace_seconds=self._settings.stop_grace_seconds,
            force=instance.force_stop,
            http_port=_http_port(model),
            data_mounts=mounts,
        )


def _login(model: Model, image: ImageColumns, logins: Mapping[tuple[int, str], RegistryLogin]) -> RegistryLogin | None:
    """Returns the account's credentials for its own image. Those of the owner of a shared image stay with the owner."""
    if image.account_id != model.account_id:
        return None
    return logins.get((model.account_id, registry_of(image.image)))


def _mounts(
    model: Model, images: Mapping[int, DataImage], logins: Mapping[tuple[int, str], RegistryLogin]
) -> tuple[DataMount, ...] | None:
    """Returns None if a data image is gone, as those of a deleted model may be."""
    found: list[DataMount] = []
    for mount in model.data_image_mounts:
        image = images.get(mount["dataImageId"])
        if image is None:
            return None
        found.append(
            DataMount(
                image=image.image,
                source_path=image.source_path,
                target_path=str(mount["targetPath"]),
                address_hidden=image.account_id != model.account_id and image.access_mode != "public",
                login=_login(model, image, logins),
            )
        )
    return tuple(found)


def _is_told(instance: Instance, report: ReportedInstance | None) -> bool:
    return report is not None and report.generation == instance.generation


def _goes_on(instance: Instance, report: ReportedInstance | None) -> bool:
    """Whether the agent runs the instance, or tries to."""
    return report is not None and _is_told(instance, report) and report.phase is not ReportedPhase.EXITED


def _http_port(model: Model) -> int | None:
    settings = ModelHttpSettingsData.model_validate(model.http_settings)
    return settings.http_port if settings.is_http_enabled else None
