"""`/metrics/detailed`: what Prometheus reads of instances, servers and accounts."""

from collections.abc import Mapping
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa
from prometheus_client.parser import text_string_to_metric_families

from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.license.repository import LicenseRepository
from mlpcore.features.metrics.loops import Measures
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.servers.tables import Server
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import InstanceUse
from mlplace_kit.clock import ManualClock
from mlplace_testing.world import World

from .names import ACME, Measured

pytestmark = pytest.mark.own_database  # it has partitions
PATHS = ("/metrics/detailed", "/internal/mlpcore/metrics/detailed")
MIB = 2**20


async def read(client: httpx.AsyncClient, headers: Mapping[str, str]) -> dict[str, dict[tuple[str, ...], float]]:
    """Returns the values by name, then by the labels' values in the order of their names."""
    answer = await client.get(PATHS[0], headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=")
    samples = (sample for family in text_string_to_metric_families(answer.text) for sample in family.samples)
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for sample in samples:
        found.setdefault(sample.name, {})[tuple(value for _, value in sorted(sample.labels.items()))] = sample.value
    return found


class TestInstances:
    async def test_use_and_what_is_allocated_are_named_in_units_of_prometheus(
        self, client: httpx.AsyncClient, world: World, instance: int, measured: Measured
    ) -> None:
        await measured(InstanceUse(instance_id=instance, milli_cpu=250, ram_mb=64, gpu_percent=150, vram_mb=10))
        found, of = await read(client, world.internal), ("acme", str(instance), "ner")
        assert found["mlp_instance_cpu_used_cores"] == {of: 0.25}
        assert found["mlp_instance_memory_used_bytes"] == {of: 64 * MIB}
        assert found["mlp_instance_gpus_used"] == {of: 1.5}
        assert found["mlp_instance_gpu_memory_used_bytes"] == {of: 10 * MIB}
        assert found["mlp_instance_cpu_allocated_cores"] == {of: 0.1}
        assert found["mlp_instance_memory_allocated_bytes"] == {of: 500 * MIB}
        assert found["mlp_instance_gpus_allocated"] == {of: 0}
        assert found["mlp_instance_restarts_total"] == {of: 0}
        assert "mlp_instance_disk_used_bytes" not in found  # it was not measured

    async def test_gpus_that_are_allocated_count_for_instance_and_server(
        self, client: httpx.AsyncClient, world: World, instance: int, measured: Measured, state: CoreState
    ) -> None:
        await measured()
        async with state.database.transaction() as session:
            server_id = (await session.execute(sa.select(Allocation.server_id))).scalar_one()
            gpus = [
                {"gpu_id": "GPU-1", "model": "L4", "vram_mb": 24},
                {"gpu_id": "GPU-2", "model": "L4", "vram_mb": 24},
            ]
            await session.execute(sa.update(Server).values(gpus=gpus))
            for gpu_id, vram_mb in (("GPU-1", 24), ("GPU-2", 8)):
                part = GpuAllocation(instance_id=instance, gpu_id=gpu_id, server_id=server_id, vram_mb=vram_mb)
                session.add(part)
        found, of, server = (
            await read(client, world.internal),
            ("acme", str(instance), "ner"),
            ("1", "default", "local"),
        )
        assert found["mlp_instance_gpus_allocated"] == {of: 2}
        assert found["mlp_instance_gpu_memory_allocated_bytes"] == {of: 32 * MIB}
        assert found["mlp_server_gpus"] == {server: 2}
        assert found["mlp_server_gpu_memory_bytes"] == {server: 48 * MIB}
        assert found["mlp_server_gpus_allocated"] == {server: 2}
        assert found["mlp_server_gpu_memory_allocated_bytes"] == {server: 32 * MIB}
        assert found["mlp_account_gpu_instances_allocated"] == {("acme",): 1}

    async def test_what_was_not_measured_for_a_while_is_unknown_and_what_is_allocated_stays(
        self, client: httpx.AsyncClient, world: World, instance: int, measured: Measured, clock: ManualClock
    ) -> None:
        await measured(InstanceUse(instance_id=instance, milli_cpu=250))
        clock.advance(timedelta(seconds=20))
        assert "mlp_instance_cpu_used_cores" in await read(client, world.internal)
        clock.advance(timedelta(seconds=40))
        found = await read(client, world.internal)
        assert "mlp_instance_cpu_used_cores" not in found
        assert found["mlp_instance_cpu_allocated_cores"]

    async def test_the_newest_sample_counts(
        self, client: httpx.AsyncClient, world: World, instance: int, measured: Measured, clock: ManualClock
    ) -> None:
        for milli_cpu in (250, 700):
            await measured(InstanceUse(instance_id=instance, milli_cpu=milli_cpu))
            clock.advance(timedelta(seconds=10))
        assert list((await read(client, world.internal))["mlp_instance_cpu_used_cores"].values()) == [0.7]

    async def test_removed_instances_have_no_series(
        self, client: httpx.AsyncClient, publisher: World, instance: int, measured: Measured
    ) -> None:
        await measured(InstanceUse(instance_id=instance, milli_cpu=250))
        answer = await client.post(f"{ACME}/model/ner/instances", json=0, headers=publisher.owner)
        assert answer.status_code == 200, answer.text
        assert "mlp_instance_cpu_used_cores" not in await read(client, publisher.internal)


class TestUnreadableSettings:
    async def test_allocations_of_the_largest_amounts_add_up_everywhere(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        instance: int,
        measured: Measured,
        measures: Measures,
        state: CoreState,
        clock: ManualClock,
    ) -> None:
        """Settings that nobody can read need as much; the comparison of allocations gives it to what runs already."""
        most, gpu = 2**63 - 1, {"gpu_id": "GPU-1", "model": "L4", "vram_mb": 24}
        answer = await client.post(f"{ACME}/model/ner/instances", json=2, headers=publisher.owner)
        assert answer.status_code == 200, answer.text
        await measured()
        async with state.database.transaction() as session:
            await session.execute(sa.update(Server).values(gpus=[gpu]))
            rows = (await session.scalars(sa.select(Allocation))).all()
            for row in rows:
                row.milli_cpu = row.ram_mb = row.disk_mb = most
                part = GpuAllocation(instance_id=row.instance_id, gpu_id="GPU-1", server_id=row.server_id, vram_mb=most)
                session.add(part)
        assert len(rows) == 2
        found = await read(client, publisher.internal)
        server, account = ("1", "default", "local"), ("acme",)
        assert found["mlp_server_cpu_allocated_cores"][server] == pytest.approx(2 * most / 1000)
        assert found["mlp_server_memory_allocated_bytes"][server] == pytest.approx(2 * most * MIB)
        assert found["mlp_server_gpu_memory_allocated_bytes"][server] == pytest.approx(2 * most * MIB)
        assert found["mlp_account_disk_allocated_bytes"][account] == pytest.approx(2 * most * MIB)
        await measures.turn()
        clock.advance(timedelta(seconds=70))
        noted = await client.get(f"{ACME}/metric", params={"metrics": "ACCOUNT_RAM_REQUESTED"}, headers=publisher.owner)
        assert noted.json()["ACCOUNT_RAM_REQUESTED"] == pytest.approx(2 * most, rel=1e-6)
        limits = (await client.get(f"{ACME}/limits/use", headers=publisher.owner)).json()
        assert {each["used"] for each in limits if each["limit"] in {"cpuLimit", "memoryLimit"}} == {most}
        async with state.database.transaction() as session:
            assert (await LicenseRepository(session).usage()).cpu == pytest.approx(2 * most / 1000)


class TestServers:
    async def test_capacity_use_and_what_is_allocated(
        self, client: httpx.AsyncClient, world: World, instance: int, measured: Measured, clock: ManualClock
    ) -> None:
        await measured()
        found = await read(client, world.internal)
        ((of, cores),) = found["mlp_server_cpu_cores"].items()
        assert of[1:] == ("default", "local")
        assert cores > 0
        assert found["mlp_server_cpu_used_cores"] == {of: 0.7}
        assert found["mlp_server_memory_used_bytes"] == {of: 900 * MIB}
        assert found["mlp_server_cpu_allocated_cores"] == {of: 0.1}
        assert found["mlp_server_gpus"] == {of: 0}
        assert found["mlp_server_up"] == {of: 1}
        clock.advance(timedelta(minutes=2))
        found = await read(client, world.internal)
        assert {name for name in found if name.startswith("mlp_server_")} == {"mlp_server_up"}
        assert found["mlp_server_up"] == {of: 0}


class TestAccounts:
    async def test_limits_of_accounts_with_instances(
        self, client: httpx.AsyncClient, world: World, instance: int
    ) -> None:
        found = await read(client, world.internal)
        assert set(found["mlp_account_cpu_limit_cores"]) == {("acme",)}
        assert found["mlp_account_memory_limit_bytes"]["acme",] > MIB
        assert found["mlp_account_gpu_instances_limit"]["acme",] >= 0
        assert found["mlp_account_cpu_allocated_cores"] == {("acme",): 0.1}
        assert found["mlp_account_memory_allocated_bytes"] == {("acme",): 500 * MIB}

    async def test_a_limit_in_no_form_hides_nothing_else(
        self, client: httpx.AsyncClient, world: World, instance: int, state: CoreState
    ) -> None:
        async with state.database.transaction() as session:
            await session.execute(sa.update(PlatformAccount).values(cpu_limit="4 cores"))
            await session.execute(sa.update(Server).values(gpus=[{"gpu_id": "GPU-1"}]))
        found = await read(client, world.internal)
        assert "mlp_account_cpu_limit_cores" not in found
        assert found["mlp_account_memory_limit_bytes"]["acme",] > MIB
        assert found["mlp_instance_connected"]

    async def test_servers_of_their_own_do_not_count_against_limits(
        self, client: httpx.AsyncClient, world: World, instance: int, state: CoreState
    ) -> None:
        async with state.database.transaction() as session:
            await session.execute(sa.update(Server).values(account_id=world.acme.account_id))
        found = await read(client, world.internal)
        assert found["mlp_account_cpu_allocated_cores"] == {("acme",): 0}
        assert found["mlp_instance_cpu_allocated_cores"] == {("acme", str(instance), "ner"): 0.1}


class TestAccess:
    @pytest.mark.parametrize("path", PATHS)
    async def test_members_strangers_and_wrong_tokens_are_refused(
        self, client: httpx.AsyncClient, publisher: World, path: str
    ) -> None:
        for headers in ({}, publisher.owner, {"Authorization": "Bearer " + "0" * 64}, {"Authorization": "Bearer "}):
            assert (await client.get(path, headers=headers)).status_code == 401
        assert (await client.get(path, headers=publisher.internal)).status_code == 200
