"""A full disk: no call is admitted whose usage could not be written, and admitted calls are recorded."""

from itertools import count
from pathlib import Path

import pytest

from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.errors.storage import DiskFull
from mlpgateway.usage.spool import SpoolOptions
from mlplace_runtime.space import DiskSpace, Space, SpaceWatch
from mlplace_testing.waiting import eventually

MOST = 8 * 2**20


async def refused(spool) -> bool:
    try:
        spool.expect_room()
    except DiskFull:
        return True
    return False


def taken_until_refused(spool, tools, *, first: int = 0) -> int:
    """Adds usage until it is refused. Returns how many were accepted."""
    for number in count():
        try:
            spool.add(tools.usage(f"r{first + number}"))
        except UsageNotRecorded:
            return number
    raise AssertionError


class TestFullDisk:
    async def test_calls_are_refused_while_running_ones_are_recorded(
        self, spools, own_bus, tools, a_small_disk
    ) -> None:
        spools.root = a_small_disk.path / "usage"
        own_bus.away = True
        async with spools.opened(most_bytes=MOST) as spool:

            async def spare() -> bool:
                return spool._spare is not None

            await eventually(spare, seconds=60)
            a_small_disk.fill()
            let_in = 0
            while not await refused(spool):
                spool.add(tools.usage(f"r{let_in}"))
                let_in += 1
                if let_in % 100 == 0:
                    await eventually(spare, until=lambda there: there or spool._refused, seconds=60)
            under_way = 100
            for number in range(under_way):
                spool.add(tools.usage(f"r{let_in + number}"))
            assert "calls are not let in" in spool.late()["usage"]
            assert spool.not_ready() == {}
            assert taken_until_refused(spool, tools) > 0
            own_bus.away = False
            await spool.flush(60)
            wanted = [f"r{number}" for number in range(let_in + under_way)]
            assert own_bus.requests[: len(wanted)] == wanted
            a_small_disk.empty()

            async def shut() -> bool:
                return spool._segment is None or await refused(spool)

            await eventually(shut, until=lambda closed: not closed, seconds=60)
            spool.add(tools.usage("after"))
            await spool.flush(60)
            assert own_bus.requests[-1] == "after"
        assert not [path for path in spools.files if path.suffix == ".spool"]

    async def test_written_usage_is_whole_for_the_next_process(self, spools, own_bus, tools, a_small_disk) -> None:
        spools.root = a_small_disk.path / "usage"
        own_bus.away = True
        async with spools.opened(most_bytes=MOST) as spool:
            for number in range(50):
                spool.add(tools.usage(f"r{number}"))
            a_small_disk.fill()
            taken = 50 + taken_until_refused(spool, tools, first=50)
        own_bus.away = False
        a_small_disk.empty()
        async with spools.opened(most_bytes=MOST) as spool:
            await spool.flush(60)
        assert own_bus.requests == [f"r{number}" for number in range(taken)]

    async def test_no_call_is_admitted_below_the_hard_floor(self, spools, own_bus, tools, tmp_path: Path) -> None:
        free = [10**9]
        space = SpaceWatch([tmp_path], soft_bytes=1000, hard_bytes=500, read=lambda _: DiskSpace(free[0], 10**9))
        spool = spools.make(space=space)
        async with spools.running(spool):
            spool.expect_room()
            free[0] = 100
            await space.look()
            assert space.level is Space.FULL
            with pytest.raises(DiskFull):
                spool.expect_room()
            assert "calls are refused" in space.trouble()["disk"]
            spool.add(tools.usage("let in before"))
            free[0] = 10**9
            await space.look()
            spool.expect_room()
            await spool.flush(60)
        assert own_bus.requests == ["let in before"]


def test_default_options_have_room_without_a_watch(tmp_path: Path) -> None:
    assert SpoolOptions(tmp_path, MOST).space.level is Space.ROOMY
