"""The platform's side of the protocol with the agents of hosting servers."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from mlpcore.features.hosting import reports
from mlpcore.features.hosting.errors import EnrolmentRefused, ServerNotAuthorized
from mlpcore.features.hosting.ports import AgentServers, Enrolments, GateStreams, GivenInstances, StartSecrets
from mlpcore.features.instances.launching.environment import surroundings
from mlpcore.features.instances.launching.launch import Environments, Launch
from mlpcore.features.instances.lifecycle.history import OutputHistory
from mlpcore.features.instances.lifecycle.runs import Runs
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.settings.blocks import ModelHttpSettingsData
from mlpcore.features.models.tables import Model
from mlpcore.quantities import bytes_of, milli_cpu_of
from mlpcore.settings import MlpcoreSettings
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_contracts.internal.hosting import (
    DesiredInstance,
    DesiredState,
    Enrolled,
    Heartbeat,
    LogChunk,
    ReportedInstance,
)
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, new_credential, parse_credential
from mlplace_kit.names import PathRef
from mlplace_runtime.service import AccountDirectory


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
        connections: GateStreams,
        output: OutputHistory,
        lifecycle: Lifecycle,
        runs: Runs,
        environments: Environments,
        secrets: StartSecrets,
        settings: MlpcoreSettings,
        hasher: KeyedHasher,
        clock: Clock,
    ) -> None:
        self._servers = servers
        self._accounts = accounts
        self._instances = instances
        self._connections = connections
        self._output = output
        self._lifecycle = lifecycle
        self._runs = runs
        self._environments = environments
        self._secrets = secrets
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
        await self._servers.heard(
            server,
            now=self._clock.now(),
            agent_version=reports.short(heartbeat.agent_version, 64),
            capacity=reports.capacity_of(heartbeat.capacity),
        )
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
        here = [instance for instance in instances if instance.state != InstanceState.DELETED]
        return await self._desired(here, frozenset(connected), told)

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

    async def _desired(
        self, instances: Sequence[Instance], connected: frozenset[int], told: Mapping[int, ReportedInstance]
    ) -> DesiredState:
        """Sends secrets and other values for the start only until the server reports the instance."""
        around = surroundings(self._settings, await self._connections.members())
        launch = await self._instances.launch_rows([instance.instance_id for instance in instances])
        fresh = {i.instance_id for i in instances if not _is_told(i, told.get(i.instance_id))}
        secrets = await self._secrets.of_models([launch[number][0] for number in fresh])
        desired: list[DesiredInstance] = []
        for instance in instances:
            model, image = launch[instance.instance_id]
            leaving = instance.state == InstanceState.REMOVING
            if image is None and not leaving:
                continue  # without an image there is nothing to run: the agent stops the instance
            stop = leaving and self._drained(instance, connected=instance.instance_id in connected)
            address = image.image if image is not None else ""
            if instance.instance_id in fresh and not stop:
                given = self._environments.launch(instance, model, around, secrets.get(model.model_id, {}))
            else:
                given = self._environments.told(instance, model, around)
            desired.append(self._one(instance, model, address, given, stop=stop))
        return DesiredState(instances=tuple(desired), heartbeat_seconds=self._settings.heartbeat_seconds)

    def _drained(self, instance: Instance, *, connected: bool) -> bool:
        waited = self._clock.now() - instance.state_changed_at
        return instance.force_stop or not connected or waited >= timedelta(seconds=self._settings.drain_seconds)

    def _one(self, instance: Instance, model: Model, image: str, given: Launch, *, stop: bool) -> DesiredInstance:
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
            memory_bytes=max(1, bytes_of(model.resource_limits["memoryLimit"])),
            milli_cpu=max(1, milli_cpu_of(model.resource_limits["cpuRequest"])),
            stop=stop,
            stop_grace_seconds=self._settings.stop_grace_seconds,
            force=instance.force_stop,
            http_port=_http_port(model),
        )


def _is_told(instance: Instance, report: ReportedInstance | None) -> bool:
    return report is not None and report.generation == instance.generation


def _http_port(model: Model) -> int | None:
    settings = ModelHttpSettingsData.model_validate(model.http_settings)
    return settings.http_port if settings.is_http_enabled else None
