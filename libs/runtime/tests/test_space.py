"""Tests what a process stops doing when its disk fills up, in which order, and how it recovers."""

import os
from pathlib import Path

import pytest

from mlplace_runtime.space import DiskSpace, Space, SpaceWatch

GIB, MIB = 2**30, 2**20


class Disk:
    def __init__(self, total: int = 1000 * GIB) -> None:
        self.total = self.free = total
        self.broken = False

    def read(self, _: Path) -> DiskSpace:
        if self.broken:
            raise OSError("stale file handle")
        return DiskSpace(self.free, self.total)


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def watch(disk: Disk, tmp_path: Path) -> SpaceWatch:
    return SpaceWatch([tmp_path], soft_bytes=1024 * MIB, hard_bytes=256 * MIB, read=disk.read)


class TestLevels:
    @pytest.mark.parametrize(
        ("mebibytes", "level"),
        [
            (1024, Space.ROOMY), (1023, Space.SHORT), (768, Space.SHORT), (767, Space.LOW), (512, Space.LOW),
            (511, Space.SCARCE), (256, Space.SCARCE), (255, Space.FULL), (0, Space.FULL),
        ],
    )  # fmt: skip
    async def test_levels_rise_in_three_steps_from_the_soft_to_the_hard_floor(
        self, disk: Disk, watch: SpaceWatch, mebibytes: int, level: Space
    ) -> None:
        disk.free = mebibytes * MIB
        await watch.look()
        assert watch.level is level

    async def test_a_small_volume_has_smaller_floors(self, tmp_path: Path) -> None:
        disk = Disk(total=1000 * MIB)
        watch = SpaceWatch([tmp_path], soft_bytes=1024 * MIB, hard_bytes=256 * MIB, read=disk.read)
        for mebibytes, level in ((1000, Space.ROOMY), (101, Space.ROOMY), (99, Space.SHORT), (24, Space.FULL)):
            disk.free = mebibytes * MIB
            await watch.look()
            assert watch.level is level, mebibytes

    async def test_a_level_is_left_only_with_some_space_to_spare(self, disk: Disk, watch: SpaceWatch) -> None:
        for mebibytes, level in ((200, Space.FULL), (260, Space.FULL), (270, Space.SCARCE), (1100, Space.ROOMY)):
            disk.free = mebibytes * MIB
            await watch.look()
            assert watch.level is level, mebibytes

    async def test_the_fullest_disk_sets_the_level_and_is_named(self, tmp_path: Path) -> None:
        free = {tmp_path: 10 * GIB}
        watch = SpaceWatch([tmp_path], soft_bytes=GIB, hard_bytes=0, read=lambda path: DiskSpace(free[path], 100 * GIB))
        assert watch.trouble() == {}
        (tmp_path / "other").mkdir()
        watch.add(tmp_path / "other")
        free[tmp_path / "other"] = 900 * MIB
        await watch.look()
        assert watch.level is Space.SHORT
        assert watch.trouble()["disk"].startswith(
            f"900 of 102400 MiB are free at {tmp_path / 'other'}: requests are not"
        )

    async def test_an_unreadable_disk_does_not_change_the_level(self, disk: Disk, watch: SpaceWatch) -> None:
        disk.free = 700 * MIB
        await watch.look()
        disk.broken = True
        await watch.look()
        assert watch.level is Space.LOW

    async def test_without_floors_the_level_is_always_roomy(self, disk: Disk, tmp_path: Path) -> None:
        disk.free = 0
        watch = SpaceWatch([tmp_path], read=disk.read)
        await watch.look()
        assert watch.level is Space.ROOMY


class TestARealDisk:
    async def test_the_level_follows_a_disk_that_fills_and_empties(self, a_small_disk) -> None:
        folder = a_small_disk.path / "not" / "made" / "yet"
        watch = SpaceWatch([folder], soft_bytes=GIB, hard_bytes=GIB // 4)
        await watch.look()
        assert watch.level is Space.ROOMY
        a_small_disk.fill(leave=2 * MIB)
        await watch.look()
        assert Space.ROOMY < watch.level < Space.FULL
        a_small_disk.fill()
        assert a_small_disk.free == 0
        with pytest.raises(OSError, match="No space"):
            os.posix_fallocate(os.open(a_small_disk.path / "more", os.O_CREAT | os.O_RDWR), 0, 100_000)
        await watch.look()
        assert watch.level is Space.FULL
        a_small_disk.empty()
        await watch.look()
        assert watch.level is Space.ROOMY
