"""What the reports of agents take of mlpcore and of PostgreSQL, on the real PostgreSQL, with the real commit.

Everything goes the ordinary way but HTTP: the report is text, the server's secret is checked, the answer is text.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
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
from benchmarks.spent import Spent, listed_statements
from mlpcore import registry
from mlpcore.features.images.tables import Image
from mlpcore.features.instances.tables import Instance, InstanceConnection
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.tables import Allocation
from mlpcore.features.providers.hosting_server.dependencies import heartbeat_service
from mlpcore.features.providers.hosting_server.reports import read_heartbeat
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import Heartbeat, ReportedInstance, ReportedPhase, ServerCapacity
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.names import parse_ref
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.migrations import upgrade_all
from mlplace_runtime.process import garbage
from mlplace_runtime.secrets import Vault

SERVERS, INSTANCES_EACH = 200, 20
SAME, RESTARTED = "nothing has changed", "one of its instances has run anew"
_OWNER, _ACCOUNT = 1, 7_000_000_000
_START: Final = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
_SECRET = "of each server"  # noqa: S105  # pragma: allowlist secret  of the benchmark's own servers
_CAPACITY = ServerCapacity(milli_cpu=64_000, ram_mb=256 * 1024, disk_mb=1024 * 1024, used_milli_cpu=900)


@dataclass(slots=True)
class _Machine:
    server_id: int
    instance_ids: Sequence[int]
    restarts: int = 0

    def report(self) -> bytes:
        """The first instance was started again `restarts` times."""
        instances = tuple(
            ReportedInstance(
                instance_id=number,
                generation=1,
                phase=ReportedPhase.RUNNING,
                started_at=_START + timedelta(seconds=0 if place else self.restarts),
                restart_count=0 if place else self.restarts,
            )
            for place, number in enumerate(self.instance_ids)
        )
        heartbeat = Heartbeat(
            agent_version="1",
            capacity=_CAPACITY,
            instances=instances,
            knows_kept=True,
            knows_mounts=True,
            runs_containers=True,
        )
        return heartbeat.model_dump_json().encode()


def measure(stack: Stack, size: Size) -> Figure:
    """In each round, each server reports once per row. The database is one that no service reads."""
    servers = max(size.of(SERVERS), 4)
    spent = Spent(psutil.Process(stack.postgres.pid))
    wait(_rounds(stack, size, servers, spent))
    return Figure("heartbeats", spent.rows(), extra={"servers": servers, "instances_of_each": INSTANCES_EACH})


async def _rounds(stack: Stack, size: Size, servers: int, spent: Spent) -> None:
    made = await stack.postgres.service_database("mlpcore", "heartbeats")
    await upgrade_all([(made.owner_url, Path(mlpcore.__path__[0]) / "migrations")])
    database = Database(made.service_url, application_name="benchmark")
    try:
        clock, hasher = ManualClock(_START), KeyedHasher(b"of the benchmark")
        state = CoreState(
            settings=MlpcoreSettings(database_url=made.service_url),
            database=database,
            clock=clock,
            hasher=hasher,
            vault=Vault(bytes(32)),
            ports=registry.PORTS,
        )
        async with database.transaction() as session:
            machines = await _insert(session, servers, hasher.digest(_SECRET))
        await _all_report(state, machines)  # the first report stores what no later one changes
        garbage.settle()  # as the services do when they have started
        for _ in range(size.rounds):
            for name in (SAME, RESTARTED):
                clock.advance(timedelta(seconds=1))
                for machine in machines:
                    machine.restarts += name == RESTARTED
                await _measured(state, machines, name, spent)
        await _check(state, machines)
    finally:
        await database.close()


async def _measured(state: CoreState, machines: Sequence[_Machine], name: str, spent: Spent) -> None:
    reports = [(machine, machine.report()) for machine in machines]

    async def work() -> None:
        for machine, report in reports:
            await _beat(state, machine, report)

    await spent.on(name, work, times=len(reports))
    with listed_statements(state.database) as statements:  # of the same report once more: counting takes time, too
        for machine in machines[:1]:
            machine.restarts += name == RESTARTED
            await _beat(state, machine, machine.report())
    spent.note(name, "statements", len(statements))


async def _all_report(state: CoreState, machines: Sequence[_Machine]) -> None:
    for machine in machines:
        await _beat(state, machine, machine.report())


async def _beat(state: CoreState, machine: _Machine, report: bytes) -> None:
    """Raises RuntimeError if not all instances of the server shall go on."""
    async with state.database.transaction() as session:
        service = await heartbeat_service(session, state)
        account_id = await service.authorize(
            account=parse_ref(str(_OWNER)), server_id=machine.server_id, secret=_SECRET
        )
        desired = await service.beat(
            account_id=account_id, server_id=machine.server_id, heartbeat=read_heartbeat(report)
        )
        desired.model_dump_json()
    if len(desired.kept) != len(machine.instance_ids):
        raise RuntimeError(f"{len(desired.kept)} of {len(machine.instance_ids)} instances go on")


async def _check(state: CoreState, machines: Sequence[_Machine]) -> None:
    """Raises RuntimeError if the database does not have what the servers have reported."""
    async with state.database.transaction() as session:
        stored = await session.scalar(sa.select(sa.func.sum(Instance.restart_count)))
    reported = sum(machine.restarts for machine in machines)
    if stored != reported:
        raise RuntimeError(f"{stored} restarts are stored, not {reported}")


async def _insert(session: AsyncSession, servers: int, secret_hash: str) -> Sequence[_Machine]:
    group = {"account_id": _OWNER, "name": "g", "access": "PUBLIC", "resource_group_type": "HOSTING_SERVER"}
    (group_id,) = await insert(session, ResourceGroup, [group])
    server = {"account_id": _OWNER, "group_id": group_id, "last_heartbeat_at": _START}
    rows = [{**server, "name": f"s{number}", "secret_hash": secret_hash} for number in range(servers)]
    server_ids = await insert(session, Server, rows)
    (image_id,) = await insert(session, Image, [{"account_id": _ACCOUNT, "name": "i", "image": "example.org/i:1"}])
    model = {"account_id": _ACCOUNT, "image_id": image_id, "resource_group_id": group_id, "resource_group": "g"}
    model_ids = await insert(session, Model, [{**model, "name": f"m{number}"} for number in range(INSTANCES_EACH)])
    common = {
        "account_id": _ACCOUNT, "state": "STARTED", "hosting": "hostingServer", "generation": 1, "version": 1,
        "start_requested_at": _START, "started_at": _START,
    }  # fmt: skip
    places = [(server_id, model_id) for server_id in server_ids for model_id in model_ids]
    found = [
        {**common, "server_id": server_id, "model_id": model_id, "token_hash": f"t{number}"}
        for number, (server_id, model_id) in enumerate(places)
    ]
    numbers = await insert(session, Instance, found)
    held = {"account_id": _ACCOUNT, "milli_cpu": 100, "ram_mb": 256, "disk_mb": 100}
    await insert(
        session,
        Allocation,
        [
            {**held, "instance_id": number, "server_id": server_id}
            for number, (server_id, _) in zip(numbers, places, strict=True)
        ],
    )
    stream = {"gate": "gate:1", "connected": True, "occurred_at": _START}
    await insert(
        session,
        InstanceConnection,
        [{**stream, "instance_id": number, "stream_id": uuid.UUID(int=number)} for number in numbers],
    )
    return [
        _Machine(server_id, numbers[place * INSTANCES_EACH :][:INSTANCES_EACH])
        for place, server_id in enumerate(server_ids)
    ]
