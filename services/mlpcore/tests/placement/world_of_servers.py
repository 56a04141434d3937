"""Two accounts, two groups and five models in the database, and what people, agents and schedulers do to them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.errors import LicenseLimitExceeded
from mlpcore.features.accounts.dependencies import account_service_of
from mlpcore.features.accounts.schemas import DEFAULT_LIMITS
from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.activity.tables import ModelActivity
from mlpcore.features.instances.dependencies import lifecycle_of, scaling_of, scheduler_of, single_instances_of
from mlpcore.features.instances.errors import InstanceLimitExceeded, ResourceLimitExceeded
from mlpcore.features.instances.loops.comparing import Comparison
from mlpcore.features.instances.loops.lost_servers import LostServers
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.providers.hosting_server.dependencies import heartbeat_service
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.state import CoreState
from mlplace_contracts.enums import InstancePurpose
from mlplace_contracts.internal.hosting import (
    Heartbeat,
    ReportedGpu,
    ReportedInstance,
    ReportedPhase,
    ServerCapacity,
)
from mlplace_kit.clock import ManualClock

_Answer = TypeVar("_Answer")
GIB = 1024
GPUS = [{"gpu_id": f"GPU-{n}", "model": "NVIDIA L4", "vram_mb": 24 * GIB} for n in range(2)]
SERVERS: tuple[dict[str, Any], ...] = (
    {"milli_cpu": 2000, "ram_mb": 4 * GIB, "disk_mb": 10 * GIB},
    {"milli_cpu": 1000, "ram_mb": 2 * GIB, "disk_mb": 10 * GIB, "max_instances": 2},
    {"milli_cpu": 4000, "ram_mb": 3 * GIB, "disk_mb": 4 * GIB, "gpus": GPUS},
)
WITH_GPUS = 2
"""The server that has GPUs."""
NEEDS: tuple[dict[str, Any], ...] = (
    {"cpuRequest": "500m", "memoryLimit": "1Gi", "ephemeralDiskLimit": "1Gi"},
    {"cpuRequest": "100m", "memoryLimit": "1800Mi", "ephemeralDiskLimit": "100Mi"},
    {"cpuRequest": "100m", "memoryLimit": "500Mi", "ephemeralDiskLimit": "2Gi", "gpuRequested": True},
    {"cpuRequest": "1", "memoryLimit": "500Mi", "ephemeralDiskLimit": "100Mi", "gpuRequested": True,
     "gpuMemoryLimitMb": 16 * GIB},
    {"cpuRequest": "1500m", "memoryLimit": "100Mi", "ephemeralDiskLimit": "100Mi"},
)  # fmt: skip
WANT_GPUS = (2, 3)
"""The models that need GPUs."""
LEAST = (1, 1, 1, 1, 0)
"""So many instances of each model are never evicted."""
MOUNTING = 0
"""This model reads a data image, which programs cannot."""
IMAGES = ("acme/i:1", "globex/i:1")
"""What the models of both accounts run."""


class CrashError(Exception):
    """The process dies before its commit."""


class WorldOfServers:
    """`states`: two processes of mlpcore. `models` belong to both accounts in turn and run in the group of the first."""

    def __init__(
        self,
        states: tuple[CoreState, CoreState],
        clock: ManualClock,
        loop: asyncio.AbstractEventLoop,
        accounts: tuple[int, int],
        models: tuple[int, ...],
    ) -> None:
        self.states = states
        self.clock = clock
        self.accounts = accounts
        self.models = models
        self.servers: list[int] = []
        self.called: dict[int, datetime] = {}
        self.lost: dict[tuple[int, int], tuple[str, int]] = {}
        """GPU and MiB that an instance, in this generation, has without an allocation of it."""
        self.requested: set[int] = set()
        """Models whose number somebody has changed, until the test clears it."""
        self._loop = loop
        self._reconcilers = [Reconciler(state) for state in states]
        self._comparisons = [Comparison(state) for state in states]

    def run(self, *works: Awaitable[_Answer]) -> list[_Answer]:
        """Does them at the same time, from the thread of the test."""

        async def together() -> list[_Answer]:
            return await asyncio.gather(*works)

        return asyncio.run_coroutine_threadsafe(together(), self._loop).result(60)

    async def begin(self) -> None:
        """Begins anew: two accounts, their models in a group of the first account that everybody may use, 3 servers."""
        async with self.states[0].database.transaction() as session:
            for table in (HostingRequest, Instance, Server, ModelActivity):
                await session.execute(sa.delete(table))
            await session.execute(sa.update(Model).values(resource_group_id=None, resource_group=None))
            await session.execute(sa.delete(ResourceGroup).where(ResourceGroup.account_id == self.accounts[0]))
            group = ResourceGroup(
                account_id=self.accounts[0], name="pool", is_default=False, access="PUBLIC",
                resource_group_type="HOSTING_SERVER", enabled_eviction=False, enabled_auto_scaling=False, extras={},
                created_at=self.clock.now(),
            )  # fmt: skip
            session.add(group)
            await session.flush()
            self.group_id = group.group_id
            self.called = {}
            self.lost.clear()
            for number, model_id in enumerate(self.models):
                values: dict[str, Any] = {"resource_group_id": group.group_id, "resource_group": "pool"}
                values["min_instances_count"] = LEAST[number]
                mounts = [{"dataImageId": 1, "targetPath": "/data"}] if number == MOUNTING else []
                values["data_image_mounts"] = mounts
                limits = {"gpuRequested": False, "gpuMemoryLimitMb": None, **NEEDS[number]}
                chosen = sa.update(Model).where(Model.model_id == model_id)
                await session.execute(chosen.values(**values, resource_limits=limits))
            for account_id in self.accounts:
                await account_service_of(session, self.states[0]).ensure_platform(account_id=account_id)
                generous = {
                    **DEFAULT_LIMITS.model_dump(), "gpu_model_instance_limit": 3, "base_model_instance_limit": 12
                }  # fmt: skip
                await session.execute(
                    sa.update(PlatformAccount).where(PlatformAccount.account_id == account_id).values(generous)
                )
            servers = [
                Server(
                    account_id=self.accounts[0], group_id=group.group_id, name=f"s{number}", tariffication_price=0,
                    raw_configuration="", extras={}, created_at=self.clock.now(), last_heartbeat_at=self.clock.now(),
                    **values,
                )
                for number, values in enumerate(SERVERS)
            ]  # fmt: skip
            session.add_all(servers)
            await session.flush()
            self.servers = [server.server_id for server in servers]
            self.runs: list[tuple[bool, tuple[str, ...]]] = [(True, ())] * len(servers)

    async def request(self, process: int, model: int, count: int) -> None:
        self.requested.add(self.models[model])

        async def work() -> None:
            async with self.states[process].database.transaction() as session:
                found = await session.get(Model, self.models[model])
                assert found is not None
                await scaling_of(session, self.states[process]).request(found, count)

        with suppress(InstanceLimitExceeded, ResourceLimitExceeded, LicenseLimitExceeded):
            await work()

    async def start_fit(self, process: int, model: int) -> None:
        async def work() -> None:
            async with self.states[process].database.transaction() as session:
                found = await session.get(Model, self.models[model])
                assert found is not None
                await single_instances_of(session, self.states[process]).start(found, InstancePurpose.FIT)

        with suppress(InstanceLimitExceeded, ResourceLimitExceeded, LicenseLimitExceeded):
            await work()

    async def end_fits(self, process: int, model: int) -> None:
        async with self.states[process].database.transaction() as session:
            found = await session.get(Model, self.models[model])
            assert found is not None
            fits = sa.select(Instance.instance_id).where(
                Instance.model_id == self.models[model], Instance.purpose == "fit", Instance.state != "DELETED"
            )
            singles = single_instances_of(session, self.states[process])
            for number in (await session.scalars(fits.order_by(Instance.instance_id))).all():
                await singles.end(found, number, reason="ended")

    async def reconcile(self, process: int) -> None:
        await self._reconcilers[process].turn()

    async def compare(self, process: int) -> None:
        await self._comparisons[process].turn()

    async def crash_in_a_pass(self, process: int, *, loses_database: bool) -> None:
        """The process places and evicts instances, and dies or loses its database before its commit."""

        async def work() -> None:
            async with self.states[process].database.transaction() as session:
                scheduler = scheduler_of(session, self.states[process])
                for group_id, instance_ids in (await scheduler.groups_with_waiting()).items():
                    await scheduler.place_waiting(group_id, instance_ids)
                await _end(session, loses_database=loses_database)

        with suppress(CrashError, DBAPIError):
            await work()

    async def crash_in_a_request(self, process: int, model: int, count: int, *, loses_database: bool) -> None:
        async def work() -> None:
            async with self.states[process].database.transaction() as session:
                found = await session.get(Model, self.models[model])
                assert found is not None
                await scaling_of(session, self.states[process]).request(found, count)
                await _end(session, loses_database=loses_database)

        with suppress(CrashError, DBAPIError, InstanceLimitExceeded, ResourceLimitExceeded, LicenseLimitExceeded):
            await work()

    async def set_eviction(self, *, enabled: bool) -> None:
        async with self.states[0].database.transaction() as session:
            chosen = sa.update(ResourceGroup).where(ResourceGroup.group_id == self.group_id)
            await session.execute(chosen.values(enabled_eviction=enabled))

    async def call(self, model: int) -> None:
        """Somebody calls the model."""
        now, number = self.clock.now(), self.models[model]
        values = {"model_id": number, "last_activity_at": now}
        statement = postgresql.insert(ModelActivity).values(values)
        async with self.states[0].database.transaction() as session:
            await session.execute(
                statement.on_conflict_do_update(index_elements=["model_id"], set_={"last_activity_at": now})
            )
        self.called[number] = now

    async def pass_days(self, days: int) -> None:
        await self.pass_time(timedelta(days=days))

    async def pass_time(self, time: timedelta) -> None:
        """Servers that report go on doing so."""
        before = self.clock.now()
        self.clock.advance(time)
        async with self.states[0].database.transaction() as session:
            reporting = sa.update(Server).where(Server.last_heartbeat_at >= before - timedelta(seconds=30))
            await session.execute(reporting.values(last_heartbeat_at=self.clock.now()))

    async def restart_agent(self, process: int, number: int) -> None:
        """The agent has died with its instances, and reports again: those that should end have ended."""

        def ended(row: Instance) -> ReportedInstance:
            phase = ReportedPhase.EXITED if row.state == "REMOVING" else ReportedPhase.BACKOFF
            return _report(row, phase, exit_code=137, restart_count=1)

        await self._beat(process, number, ended)

    async def report(self, process: int, number: int, *, knows_gpus: bool = True) -> None:
        """The agent says that its instances run, and on which GPUs. One of an earlier release does not know that."""
        async with self.states[process].database.transaction() as session:
            rows = (await session.scalars(sa.select(GpuAllocation))).all()
            held = {row.instance_id: (row.gpu_id, row.vram_mb) for row in rows}

        def running(row: Instance) -> ReportedInstance:
            gpu = held.get(row.instance_id) or self.lost.get((row.instance_id, row.generation))
            if gpu is None or not knows_gpus:
                return _report(row, ReportedPhase.RUNNING)
            part = None if gpu[1] == GPUS[0]["vram_mb"] else gpu[1]
            return _report(row, ReportedPhase.RUNNING, gpu_ids=(gpu[0],), gpu_memory_mb=part)

        await self._beat(process, number, running)

    async def lose(self, number: int, which: int, *, only_gpus: bool) -> int | None:
        """Deletes the allocation of an instance on the server, or only its GPU. Returns its account, if there is one.

        The agent knows the GPU all the same.
        """
        table = GpuAllocation if only_gpus else Allocation
        async with self.states[0].database.transaction() as session:
            chosen = sa.select(table.instance_id).where(table.server_id == self.servers[number])
            ids = (await session.scalars(chosen.order_by(table.instance_id))).all()
            if not ids:
                return None
            instance = await session.get_one(Instance, ids[which % len(ids)])
            gpus = sa.select(GpuAllocation).where(GpuAllocation.instance_id == instance.instance_id)
            for gpu in (await session.scalars(gpus)).all():
                self.lost[instance.instance_id, instance.generation] = gpu.gpu_id, gpu.vram_mb
            session.expunge_all()
            await session.execute(sa.delete(table).where(table.instance_id == instance.instance_id))
            return instance.account_id

    async def _beat(self, process: int, number: int, told: Callable[[Instance], ReportedInstance]) -> None:
        state = self.states[process]
        room = SERVERS[number]
        capacity = ServerCapacity(
            milli_cpu=room["milli_cpu"], ram_mb=room["ram_mb"], disk_mb=room["disk_mb"],
            gpus=tuple(ReportedGpu.model_validate(gpu) for gpu in room.get("gpus", ())),
        )  # fmt: skip
        async with state.database.transaction() as session:
            here = sa.select(Instance).where(Instance.server_id == self.servers[number], Instance.state != "DELETED")
            reports = [told(row) for row in (await session.scalars(here)).all()]
            session.expunge_all()
            service = await heartbeat_service(session, state)
            await service.beat(
                account_id=self.accounts[0],
                server_id=self.servers[number],
                heartbeat=Heartbeat(
                    agent_version="1", capacity=capacity, instances=tuple(reports),
                    runs_containers=self.runs[number][0], programs=self.runs[number][1],
                ),
            )  # fmt: skip

    async def each(self, process: int, chosen: Callable[[Instance], bool], wanted: InstanceState) -> None:
        """Moves the chosen instances on servers, as reports of agents and gates do."""
        async with self.states[process].database.transaction() as session:
            ids = (await session.scalars(sa.select(Instance.instance_id).where(Instance.server_id.is_not(None)))).all()
            lifecycle = lifecycle_of(session, self.clock)
            for instance in (await InstanceRepository(session).lock_many(sorted(ids))).values():
                if chosen(instance):
                    await lifecycle.move(instance, wanted, reason="Test", message="reported")

    async def set_server(self, number: int, values: Mapping[str, Any]) -> None:
        async with self.states[0].database.transaction() as session:
            await session.execute(
                sa.update(Server).where(Server.server_id == self.servers[number]).values(dict(values))
            )

    async def configure_agent(self, number: int, *, containers: bool, programs: tuple[str, ...]) -> None:
        """The server can run other images than before. Instances that are there stay."""
        self.runs[number] = containers, programs
        await self.set_server(number, {"runs_containers": containers, "programs": list(programs)})

    async def crash_server(self, number: int) -> None:
        await self.set_server(number, {"last_heartbeat_at": self.clock.now() - timedelta(hours=1)})

    async def give_up_servers(self, process: int) -> None:
        """Those that are silent have been so for long."""
        since = self.clock.now() - timedelta(hours=1)
        async with self.states[process].database.transaction() as session:
            silent = sa.update(Server).where(Server.last_heartbeat_at <= since + timedelta(minutes=50))
            await session.execute(silent.values(unavailable_since=since))
        await LostServers(self.states[process]).turn()

    async def replace_server(self, number: int) -> None:
        """Deletes the server and adds an equal one."""
        async with self.states[0].database.transaction() as session:
            old = await session.get(Server, self.servers[number])
            assert old is not None
            columns = {c.name: getattr(old, c.name) for c in Server.__table__.columns if c.name != "server_id"}
            await session.delete(old)
            await session.flush()
            new = Server(**{**columns, "last_heartbeat_at": self.clock.now(), "draining_since": None})
            session.add(new)
            await session.flush()
            self.servers[number] = new.server_id

    async def set_limits(self, account: int, values: Mapping[str, Any]) -> None:
        async with self.states[0].database.transaction() as session:
            await session.execute(
                sa.update(PlatformAccount)
                .where(PlatformAccount.account_id == self.accounts[account])
                .values(dict(values))
            )


def _report(row: Instance, phase: ReportedPhase, **values: Any) -> ReportedInstance:
    return ReportedInstance(instance_id=row.instance_id, generation=row.generation, phase=phase, **values)


async def _end(session: AsyncSession, *, loses_database: bool) -> None:
    """Ends the transaction without a commit: the server ends its session, or the process fails. Raises one of both."""
    if loses_database:
        await session.execute(sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))
    raise CrashError
