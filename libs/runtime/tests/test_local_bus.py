import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from mlplace_contracts.topics import API_KEYS, USAGE
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Delivered, Record
from mlplace_testing.contracts.bus import BusContract
from mlplace_testing.small_disk import SmallDisk
from mlplace_testing.waiting import eventually


class TestLocalBus(BusContract):
    pass


class CountingBus(LocalBus):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.reads = 0

    async def has_read(self) -> bool:
        return self.reads > 0

    async def read(self, names: Sequence[str], after: dict[str, int], limit: int) -> list[Delivered]:
        found = await super().read(names, after, limit)
        self.reads += 1
        return found


class TestOneFileOfManyProcesses:
    @pytest.fixture
    async def here(self, tmp_path: Path) -> AsyncGenerator[CountingBus]:
        async with CountingBus(tmp_path / "shared.sqlite3") as opened:
            yield opened

    async def test_a_waiting_reader_is_woken_by_another_process(self, here: CountingBus, tmp_path: Path) -> None:
        subscription = await here.subscribe([USAGE], group="g")
        async with LocalBus(tmp_path / "shared.sqlite3") as there, asyncio.timeout(60):
            for number in (b"1", b"2"):
                here.reads = 0
                waiting = asyncio.create_task(subscription.poll(max_records=10, timeout_seconds=3600))
                await eventually(here.has_read)
                await there.publish([Record(USAGE.name, "a", number)])
                assert [d.record.value for d in await waiting] == [number]
        await subscription.close()

    async def test_an_idle_reader_reads_the_log_only_once(self, here: CountingBus) -> None:
        subscription = await here.subscribe([USAGE], group="g")
        assert await subscription.poll(max_records=10, timeout_seconds=1) == ()
        assert here.reads == 1
        await subscription.close()


class TestAlone:
    async def test_nobody_looks_for_writes_of_other_processes(self, tmp_path: Path) -> None:
        async with LocalBus(tmp_path / "own.sqlite3", alone=True):
            names = {task.get_name() for task in asyncio.all_tasks()}
        assert "local-bus-compaction" in names
        assert "local-bus-others" not in names

    async def test_a_waiting_reader_is_woken_by_its_own_process(self, tmp_path: Path) -> None:
        async with LocalBus(tmp_path / "own.sqlite3", alone=True) as bus, asyncio.timeout(60):
            subscription = await bus.subscribe([USAGE], group="g")
            waiting = asyncio.create_task(subscription.poll(max_records=10, timeout_seconds=3600))
            await asyncio.sleep(0)
            await bus.publish([Record(USAGE.name, "a", b"1")])
            assert [d.record.value for d in await waiting] == [b"1"]
            await subscription.close()


class TestDurability:
    async def test_records_and_offsets_survive_a_restart(self, tmp_path: Path) -> None:
        path = tmp_path / "log.sqlite3"
        async with LocalBus(path) as bus:
            await bus.publish([Record(USAGE.name, "a", b"1"), Record(USAGE.name, "a", b"2")])
            subscription = await bus.subscribe([USAGE], group="g")
            await subscription.poll(max_records=1, timeout_seconds=1)
            await subscription.commit()
            await subscription.close()
        async with LocalBus(path) as bus:
            subscription = await bus.subscribe([USAGE], group="g")
            found = await subscription.poll(max_records=10, timeout_seconds=1)
            assert [d.record.value for d in found] == [b"2"]
            await subscription.close()

    async def test_a_failed_publish_writes_nothing(self, bus: LocalBus) -> None:
        with pytest.raises(Exception):  # noqa: B017, PT011
            await bus.publish([Record(USAGE.name, "a", b"1"), Record(USAGE.name, None, b"2")])  # type: ignore[arg-type]
        subscription = await bus.subscribe([USAGE], group="g")
        assert await subscription.poll(max_records=10, timeout_seconds=0.05) == ()
        await subscription.close()


class TestCompaction:
    async def test_keeps_the_newest_record_of_each_key(self, bus: LocalBus) -> None:
        await bus.publish([Record(API_KEYS.name, str(n % 2), str(n).encode()) for n in range(6)])
        await bus.publish([Record(USAGE.name, "a", b"kept"), Record(USAGE.name, "a", b"kept too")])
        await bus.compact()
        keys = await bus.subscribe([API_KEYS], group=None)
        assert [d.record.value for d in await keys.poll(max_records=10, timeout_seconds=1)] == [b"4", b"5"]
        usage = await bus.subscribe([USAGE], group=None)
        assert len(await usage.poll(max_records=10, timeout_seconds=1)) == 2


class TestFullDisk:
    async def test_publish_fails_while_the_disk_is_full_and_keeps_earlier_records(
        self, a_small_disk: SmallDisk
    ) -> None:
        async with LocalBus(a_small_disk.path / "bus.sqlite3") as bus:
            await bus.publish([Record(USAGE.name, "a", b"before")])
            subscription = await bus.subscribe([USAGE], group="g")
            a_small_disk.fill()
            for _ in range(3):
                with pytest.raises(OSError, match="full"):
                    await bus.publish([Record(USAGE.name, "a", b"x" * 100_000)])
            assert "full" in (bus.trouble() or "")
            found = await subscription.poll(max_records=10, timeout_seconds=1)
            assert [delivered.record.value for delivered in found] == [b"before"]
            a_small_disk.empty()
            await bus.publish([Record(USAGE.name, "a", b"after")])
            assert bus.trouble() is None
            await subscription.commit()
            found = await subscription.poll(max_records=10, timeout_seconds=1)
            assert [delivered.record.value for delivered in found] == [b"after"]
            await subscription.close()
        async with LocalBus(a_small_disk.path / "bus.sqlite3") as bus:
            again = await bus.subscribe([USAGE], group="new")
            found = await again.poll(max_records=10, timeout_seconds=1)
            assert [delivered.record.value for delivered in found] == [b"before", b"after"]
            await again.close()
