"""What the database reads from the settings of a service."""

from itertools import product
from typing import Any

import pytest

from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.needs_repository import NeedsRepository
from mlpcore.quantities import bytes_of, milli_cpu_of
from mlplace_runtime.db.database import Database

LIMITS: dict[str, Any] = {"cpuRequest": "100m", "memoryLimit": "500Mi", "ephemeralDiskLimit": "100Mi"}
NUMBERS = ("1", "7", "999", ".3", "1.5", "0.000000001", "1048577", "999999999999999.999999999")
SUFFIXES = ("", *"numkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", "e+2", "E-7", "e99", "e-99")
MOST, MOST_MIB = 2**63 - 1, 2**43
_MIB = 2**20


async def read(database: Database, **limits: object) -> Needs:
    async with database.transaction() as session:
        return await NeedsRepository(session).of_limits(LIMITS | limits)


async def amounts(database: Database, quantity: object) -> tuple[int, int, int]:
    names = ("cpuRequest", "memoryLimit", "ephemeralDiskLimit")
    found = await read(database, **dict.fromkeys(names, quantity))
    return found.milli_cpu, found.ram_mb, found.disk_mb


class TestAmounts:
    async def test_are_rounded_up_to_whole_units(self, database: Database) -> None:
        found = await read(database, cpuRequest="0.0001", memoryLimit="1M", ephemeralDiskLimit="1")
        assert (found.milli_cpu, found.ram_mb, found.disk_mb) == (1, 1, 1)

    async def test_each_quantity_that_settings_may_have_is_read_as_it_is_validated(self, database: Database) -> None:
        checked = 0
        for number, suffix in product(NUMBERS, SUFFIXES):
            quantity = number + suffix
            try:
                milli_cpu, mib = milli_cpu_of(quantity), -(-bytes_of(quantity) // _MIB)
            except ValueError:
                continue
            checked += 1
            assert await amounts(database, quantity) == (min(milli_cpu, MOST), mib, mib), quantity
        assert checked > 100

    @pytest.mark.parametrize(
        "text",
        ["lots", "", "-1", "1 ", " 1", "1\n", "١", "1e100", "0x1", "NaN", "1.2.3", "1Kii", "8Ei", "e3", None, {}],
    )
    async def test_quantity_that_cannot_be_read_counts_as_the_largest(self, database: Database, text: object) -> None:
        assert await amounts(database, text) == (MOST, MOST_MIB, MOST_MIB)

    async def test_settings_without_amounts_need_the_largest(self, database: Database) -> None:
        async with database.transaction() as session:
            found = await NeedsRepository(session).of_limits({})
        assert found == Needs(milli_cpu=MOST, ram_mb=MOST_MIB, disk_mb=MOST_MIB)


class TestGpus:
    async def test_defaults_of_a_service_need_none(self, database: Database) -> None:
        assert await read(database) == Needs(milli_cpu=100, ram_mb=500, disk_mb=100)

    @pytest.mark.parametrize(("count", "needed"), [(None, 1), (3, 3), (64, 64), (0, 1), ("many", 1)])
    async def test_requested_gpu_is_one_unless_a_count_is_given(
        self, database: Database, count: object, needed: int
    ) -> None:
        found = await read(database, gpuRequested=True, gpuCount=count, gpuMemoryLimitMb=2048)
        assert (found.gpu_count, found.vram_mb) == (needed, 2048)

    async def test_gpu_without_a_limit_of_memory_is_needed_whole(self, database: Database) -> None:
        found = await read(database, gpuRequested=True, gpuMemoryLimitMb=None)
        assert (found.gpu_count, found.vram_mb) == (1, None)

    async def test_gpu_fields_mean_nothing_unless_a_gpu_is_requested(self, database: Database) -> None:
        found = await read(database, gpuRequested=False, gpuCount=2, gpuMemoryLimitMb=2048)
        assert (found.gpu_count, found.vram_mb) == (0, None)


class TestServers:
    async def test_models_are_compared_without_case_and_labels_are_sorted(self, database: Database) -> None:
        found = await read(database, gpuModels=["NVIDIA L4"], serverLabels={"zone": "b", "disk": "ssd"})
        assert found.gpu_models == {"nvidia l4"}
        assert found.labels == (("disk", "ssd"), ("zone", "b"))

    @pytest.mark.parametrize("other", [None, "L4", 1])
    async def test_other_shapes_ask_for_none(self, database: Database, other: object) -> None:
        found = await read(database, gpuModels=other, serverLabels=other)
        assert (found.gpu_models, found.labels) == (frozenset(), ())
