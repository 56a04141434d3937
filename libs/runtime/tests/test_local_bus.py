from pathlib import Path

import pytest

from mlplace_contracts.topics import API_KEYS, USAGE
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record
from mlplace_testing.bus_contract import BusContract


class TestLocalBus(BusContract):
    pass


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

    async def test_a_failed_publish_leaves_nothing(self, bus: LocalBus) -> None:
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
