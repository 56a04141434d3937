"""One pass of mlpcore's scheduler over a resource group, on the real PostgreSQL, with the real commit."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

import mlpcore
from benchmarks.figures.rounds import Figure, Size, from_values
from benchmarks.inserts import insert
from benchmarks.platform_stack import Stack, wait
from benchmarks.spent import listed_statements
from mlpcore import registry
from mlpcore.features.accounts.schemas import DEFAULT_LIMITS
from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.images.tables import Image
from mlpcore.features.instances.dependencies import scheduler_of
from mlpcore.features.instances.tables import Instance, InstanceEvent
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.allocations import Allocations, Grant
from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.tables import Allocation
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.features.stat_logs.tables import StatLog
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.migrations import upgrade_all
from mlplace_runtime.secrets import Vault

WAITING, SERVERS = 1000, 200
FITS, FULL = "all get a server", "no server has room"
HOPELESS = "no server has room, whatever is evicted"
_ACCOUNTS, _MODELS, _FIRST_ACCOUNT = 50, 100, 7_000_000_000
_FIGURES = "ms", "cpu_ms", "statements", "server_statements"
_READS_SERVERS = "held_milli_cpu"
"""Each statement that reads what servers have left selects this column, and no other does."""
_CORES = {FITS: 64_000, FULL: 50, HOPELESS: 64_000}
_HELD_BY_SERVER, _GPUS_BY_SERVER = 5, 8
_NEEDS, _TOO_MUCH = 500, 300 * 1024
"""MiB. No server has as much as the second, even if it is empty."""


def measure(stack: Stack, size: Size) -> Figure:
    """In each round, begin with waiting instances and empty servers. The database is one that no service reads."""
    values: dict[str, dict[str, list[float]]] = {name: {figure: [] for figure in _FIGURES} for name in _CORES}
    counts = max(size.of(WAITING), 20), max(size.of(SERVERS), 4)
    wait(_rounds(stack, size, counts, values))
    rows = [from_values(name, 1, found) for name, found in values.items()]
    return Figure("placement", rows, extra={"waiting": counts[0], "servers": counts[1]})


async def _rounds(
    stack: Stack, size: Size, counts: tuple[int, int], values: Mapping[str, Mapping[str, list[float]]]
) -> None:
    made = await stack.postgres.service_database("mlpcore", "placement")
    await upgrade_all([(made.owner_url, Path(mlpcore.__path__[0]) / "migrations")])
    database = Database(made.service_url, application_name="benchmark")
    try:
        state = CoreState(
            settings=MlpcoreSettings(database_url=made.service_url),
            database=database,
            clock=SystemClock(),
            hasher=KeyedHasher(b"of the benchmark"),
            vault=Vault(bytes(32)),
            ports=registry.PORTS,
        )
        for _ in range(size.rounds):
            for name, found in values.items():
                async with database.transaction() as session:
                    await _begin(session, *counts, milli_cpu=_CORES[name], evicts=name == HOPELESS)
                held = counts[1] * _HELD_BY_SERVER if name == HOPELESS else 0
                await _pass(state, found, placed=counts[0] if name == FITS else held)
    finally:
        await database.close()


async def _pass(state: CoreState, found: Mapping[str, list[float]], *, placed: int) -> None:
    """Raises RuntimeError if the pass placed another number of instances, or read the servers of a group twice."""
    with listed_statements(state.database) as statements:
        began, busy = time.perf_counter(), time.process_time()
        async with state.database.transaction() as session:
            waiting = await scheduler_of(session, state).groups_with_waiting()
        for group_id, instance_ids in waiting.items():
            async with state.database.transaction() as session:
                await scheduler_of(session, state).place_waiting(group_id, instance_ids)
        found["ms"].append((time.perf_counter() - began) * 1000)
        found["cpu_ms"].append((time.process_time() - busy) * 1000)
    found["statements"].append(len(statements))
    reads = sum(_READS_SERVERS in statement for statement in statements)
    found["server_statements"].append(reads)
    if reads != len(waiting):
        raise RuntimeError(f"{reads} statements have read the servers of {len(waiting)} groups")
    async with state.database.transaction() as session:
        count = await session.scalar(sa.select(sa.func.count()).select_from(Allocation))
    if count != placed:
        raise RuntimeError(f"{count} instances have room, not {placed}")


async def _begin(session: AsyncSession, waiting: int, servers: int, *, milli_cpu: int, evicts: bool) -> None:
    tables = (StatLog, InstanceEvent, Allocation, Instance, Model, Image, Server, ResourceGroup, PlatformAccount)
    for table in tables:
        await session.execute(sa.delete(table))
    now = datetime.now(UTC)
    accounts = range(_FIRST_ACCOUNT, _FIRST_ACCOUNT + _ACCOUNTS)
    limits = DEFAULT_LIMITS.model_dump() | {
        "base_model_instance_limit": waiting, "cpu_limit": "100000", "memory_limit": "100Ti",
        "ephemeral_disk_limit": "100Ti",
    }  # fmt: skip
    await insert(session, PlatformAccount, [{"account_id": number, "version": 1, **limits} for number in accounts])
    group = {"account_id": 1, "name": "g", "is_default": True, "access": "PUBLIC", "enabled_eviction": evicts}
    (group_id,) = await insert(session, ResourceGroup, [{**group, "resource_group_type": "HOSTING_SERVER"}])
    gpus = [{"gpu_id": f"GPU-{n}", "model": "NVIDIA L4", "vram_mb": 24_576} for n in range(_GPUS_BY_SERVER)]
    room = {"milli_cpu": milli_cpu, "ram_mb": 256 * 1024, "disk_mb": 1024 * 1024, "last_heartbeat_at": now}
    names = [{"account_id": 1, "group_id": group_id, "name": f"s{n}", **room} for n in range(servers)]
    server_ids = await insert(session, Server, [{**name, "gpus": gpus if evicts else []} for name in names])
    image = {"account_id": 1, "name": "i", "image": "example.org/i:1", "access_mode": "public"}
    (image_id,) = await insert(session, Image, [image])
    where = {"image_id": image_id, "resource_group_id": group_id, "resource_group": "g"}
    if evicts:
        await _hold(session, server_ids, accounts, where, now - timedelta(days=9))
    memory = _TOO_MUCH if evicts else _NEEDS
    models = await insert(
        session, Model, [_model(f"m{n}", n, accounts[n % _ACCOUNTS], memory) | where for n in range(_MODELS)]
    )
    await insert(
        session,
        Instance,
        [
            {
                "account_id": accounts[n % _MODELS % _ACCOUNTS], "model_id": models[n % _MODELS], "state": "IDLE",
                "hosting": "hostingServer", "generation": 1, "version": 1, "token_hash": f"t{n}",
                "start_requested_at": now + timedelta(microseconds=n),
            }
            for n in range(waiting)
        ],
    )  # fmt: skip


async def _hold(
    session: AsyncSession,
    server_ids: Sequence[int],
    accounts: Sequence[int],
    where: dict[str, object],
    since: datetime,
) -> None:
    """Fill the servers in part with instances that nobody has called since then."""
    numbers = range(len(server_ids) * _HELD_BY_SERVER)
    owners = [accounts[n % _ACCOUNTS] for n in numbers]
    models = await insert(session, Model, [_model(f"h{n}", n, owners[n], _NEEDS) | where for n in numbers])
    instances = await insert(
        session,
        Instance,
        [
            {
                "account_id": owners[n], "model_id": models[n], "state": "STARTED", "hosting": "hostingServer",
                "generation": 2, "version": 2, "token_hash": f"h{n}", "start_requested_at": since,
                "server_id": server_ids[n % len(server_ids)],
            }
            for n in numbers
        ],
    )  # fmt: skip
    needs = Needs(milli_cpu=100, ram_mb=_NEEDS, disk_mb=100)
    await Allocations(session).add(
        [Grant(instances[n], owners[n], server_ids[n % len(server_ids)], needs) for n in numbers]
    )


def _model(name: str, number: int, account_id: int, memory_mb: int) -> dict[str, Any]:
    """Each tenth model has needs of its own."""
    limits = {
        "cpuRequest": f"{100 + number % 10}m", "memoryLimit": f"{memory_mb + number % 10}Mi",
        "ephemeralDiskLimit": "100Mi", "gpuRequested": False,
    }  # fmt: skip
    return {
        "account_id": account_id, "name": name, "resource_limits": limits, "timeouts": {"podStartTimeoutSec": 120},
    }  # fmt: skip
