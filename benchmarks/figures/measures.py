"""The processor time that measures take of mlpcore and of PostgreSQL, and how long a question about a year takes.

Everything goes the ordinary way but the network: events of gates are decoded, noted in the inbox and stored; samples of
agents are stored under the lock of their server; minutes and quarters of an hour are added up in the database.
"""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psutil
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

import mlpcore
from benchmarks.figures.rounds import Figure, Size
from benchmarks.inserts import insert
from benchmarks.platform_stack import Stack, wait
from benchmarks.sample_history import FILL_QUARTER, PACKED_BYTES, PACKED_DAYS
from benchmarks.samples import STEP, reports, server_samples
from benchmarks.spent import Spent
from mlpcore import registry
from mlpcore.features.instances.tables import Instance
from mlpcore.features.metrics.consumers import samples_consumer
from mlpcore.features.metrics.dependencies import metric_service, server_samples_of
from mlpcore.features.metrics.detailed.service import DetailedMetrics
from mlpcore.features.metrics.loops import Measures
from mlpcore.features.metrics.names import ModelMetric
from mlpcore.features.metrics.tiers import DAY
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.tables import Allocation
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import ServerSample
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.bus.applying import Applier
from mlplace_runtime.bus.handling import received
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.migrations import upgrade_all
from mlplace_runtime.process import garbage
from mlplace_runtime.secrets import Vault

SERVICES, INSTANCES_EACH, SERVERS, GATES = 10_000, 2, 200, 2
GATE_REPORTS, AGENT_SAMPLES = "reports of gates", "samples of agents"
MINUTE, QUARTER = "a minute", "a quarter of an hour"
SCRAPE = "a read by Prometheus"
YEAR_OF_ONE, YEAR_OF_ALL = YEARS = ("one metric of a year", "all metrics of a year")
SECONDS: Final = {GATE_REPORTS: 10, AGENT_SAMPLES: 10, MINUTE: 60, QUARTER: 900, SCRAPE: 15}
"""How often each part of the work is done. Prometheus reads each of two replicas of mlpcore every 30 s."""
_ACCOUNT: Final = 7_000_000_000
_START: Final = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
_SERVICES_WITH_YEAR, _QUESTIONS = 5, 10
_DAYS, _DAYS_OF_A_TURN, _DAY_SECONDS = 365, 30, 24 * 3600


def measure(stack: Stack, size: Size) -> Figure:
    """Simulates a minute of the platform for each round. The database is one that no service reads."""
    services, servers = max(size.of(SERVICES), 20), max(size.of(SERVERS), 2)
    spent = Spent(psutil.Process(stack.postgres.pid))
    year = wait(_measure(stack, size, services, servers, spent))
    about = {"services": services, "instances_of_each": INSTANCES_EACH, "servers": servers, "gates": GATES}
    return Figure("measures", spent.rows(), extra={**about, "bytes_of_a_year": year})


async def _measure(stack: Stack, size: Size, services: int, servers: int, spent: Spent) -> int:
    """Returns the bytes that a year of one service takes."""
    made = await stack.postgres.service_database("mlpcore", "measures")
    await upgrade_all([(made.owner_url, Path(mlpcore.__path__[0]) / "migrations")])
    database = Database(made.service_url, application_name="benchmark")
    try:
        clock = ManualClock(_START)
        state = CoreState(
            settings=MlpcoreSettings(database_url=made.service_url),
            database=database,
            clock=clock,
            hasher=KeyedHasher(b"of the benchmark"),
            vault=Vault(bytes(32)),
            ports=registry.PORTS,
        )
        async with database.transaction() as session:
            await _insert(session, services, servers)
        async with database.transaction() as session:
            instances = (await session.scalars(sa.select(Instance).order_by(Instance.instance_id))).all()
        platform = _Platform(state, clock, instances)
        garbage.settle()  # as the services do when they have started
        await platform.minutes(size.rounds, spent)
        await platform.quarter(spent)
        return await platform.year(spent, services=size.of(_SERVICES_WITH_YEAR), days=max(size.of(_DAYS), 10))
    finally:
        await database.close()


class _Platform:
    def __init__(self, state: CoreState, clock: ManualClock, instances: Sequence[Instance]) -> None:
        """`instances`: as the heartbeat of their server has loaded them before it stores its samples."""
        self._state, self._clock = state, clock
        self._owners = [(instance.model_id, instance.instance_id) for instance in instances]
        self._by_server: defaultdict[int, list[Instance]] = defaultdict(list)
        for instance in instances:
            self._by_server[instance.server_id or 0].append(instance)
        self._gates = [uuid.UUID(int=number + 1) for number in range(GATES)]
        self._consumer = samples_consumer(state)
        self._measures = Measures(state)

    async def minutes(self, count: int, spent: Spent) -> None:
        """Every second minute has samples: it is added up 20 s after its end, when late reports have come."""
        await self._measures.keep_partitions()
        ids = {server_id: [found.instance_id for found in on] for server_id, on in self._by_server.items()}
        for minute in range(count):
            for step in range(6):
                self._clock.advance(STEP)
                sequence = minute * 6 + step + 1
                records = reports(self._gates, self._owners, sequence=sequence, until=self._clock.now())
                await spent.on(GATE_REPORTS, lambda records=records: self._consume(records))
                samples = server_samples(ids, sequence=sequence)
                await spent.on(AGENT_SAMPLES, lambda samples=samples: self._store(samples))
            await spent.on(SCRAPE, self._scrape)
            self._clock.advance(2 * STEP)
            await spent.on(MINUTE, self._measures.turn)
            self._clock.advance(4 * STEP)

    async def quarter(self, spent: Spent) -> None:
        """Adds up a quarter of an hour of which each minute has as many samples as the first one."""
        async with self._state.database.transaction() as session:
            for statement in FILL_QUARTER:
                await session.execute(statement, {"start": _START})
        self._clock.advance(_START + timedelta(minutes=16) - self._clock.now())
        await spent.on(QUARTER, self._measures.turn)

    async def year(self, spent: Spent, *, services: int, days: int) -> int:
        """Asks for a year. Returns the bytes that it takes of one service."""
        models = sorted({model_id for model_id, _ in self._owners})[:services]
        midnight = _START.replace(hour=0)
        times = {"first": midnight - days * DAY, "last": midnight - 2 * DAY}
        for model_id in models:
            async with self._state.database.transaction() as session:
                for statement in PACKED_DAYS:
                    await session.execute(statement, {**times, "models": [model_id]})
        await self._measures.keep_partitions()
        for _ in range(days // _DAYS_OF_A_TURN + 1):
            await self._measures.turn()
        async with self._state.database.transaction() as session:
            size = await session.scalar(PACKED_BYTES) or 0
            service = metric_service(session, self._state)
            span = await service.last(minutes=_DAYS * 24 * 60, step_seconds=_DAY_SECONDS)
            for part, metrics in ((YEAR_OF_ONE, [ModelMetric.SUCCESS]), (YEAR_OF_ALL, list(ModelMetric))) * _QUESTIONS:
                await spent.on(part, lambda metrics=metrics: service.model_points(_ACCOUNT, models[0], metrics, span))
        return int(size) // len(models)

    async def _consume(self, records: Sequence[Record]) -> None:
        items = [item for record in records if (item := received(self._consumer, record)) is not None]
        await Applier(self._consumer, self._state.database).together(items)

    async def _scrape(self) -> None:
        "".join(await DetailedMetrics(self._state.database, self._state.clock).read())

    async def _store(self, samples: Sequence[tuple[int, bytes]]) -> None:
        for server_id, text in samples:
            async with self._state.database.transaction() as session:
                server = await session.get_one(Server, server_id, with_for_update=True)
                sample = ServerSample.model_validate_json(text)
                await server_samples_of(session, self._state).store(server, [sample], self._by_server[server_id])


async def _insert(session: AsyncSession, services: int, servers: int) -> None:
    group = {"account_id": 1, "name": "g", "resource_group_type": "HOSTING_SERVER"}
    (group_id,) = await insert(session, ResourceGroup, [group])
    room = {"milli_cpu": 64_000, "ram_mb": 256 * 1024, "disk_mb": 1024 * 1024, "last_heartbeat_at": _START}
    rows = [{"account_id": 1, "group_id": group_id, "name": f"s{number}", **room} for number in range(servers)]
    server_ids = await insert(session, Server, rows)
    model = {"account_id": _ACCOUNT, "image_id": 1, "resource_group_id": group_id, "resource_group": "g"}
    model_ids = await insert(session, Model, [{**model, "name": f"m{number}"} for number in range(services)])
    owners = [model_id for model_id in model_ids for _ in range(INSTANCES_EACH)]
    places = [server_ids[number % servers] for number in range(len(owners))]
    state = {"account_id": _ACCOUNT, "state": "STARTED", "hosting": "hostingServer", "generation": 1, "version": 1}
    found = [
        {**state, "model_id": owner, "server_id": place, "token_hash": f"t{number}"}
        for number, (owner, place) in enumerate(zip(owners, places, strict=True))
    ]
    instance_ids = await insert(session, Instance, found)
    held = {"account_id": _ACCOUNT, "milli_cpu": 100, "ram_mb": 256, "disk_mb": 100}
    await insert(
        session,
        Allocation,
        [
            {**held, "instance_id": number, "server_id": place}
            for number, place in zip(instance_ids, places, strict=True)
        ],
    )
