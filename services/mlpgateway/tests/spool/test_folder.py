"""Process logs on a failing disk: no failure leaves a file open, or a log locked that nobody ships."""

import os
import resource
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from mlpgateway.usage.disk import DiskThread
from mlpgateway.usage.folder import SpoolFolder
from mlpgateway.usage.segment import Segment
from mlpgateway.usage.shipper import Shipper
from mlplace_runtime.bus.port import Record

PROCESS_LOG = "lane-1"


def pipe(path: Path) -> None:
    """Creates a pipe, which can be opened but not read at an offset."""
    os.mkfifo(path)


@pytest.fixture
def folder(tmp_path: Path) -> SpoolFolder:
    """A folder with the log of a dead process."""
    (tmp_path / PROCESS_LOG).mkdir()
    Segment.create(tmp_path / PROCESS_LOG, 1, 4096).close()
    return SpoolFolder(tmp_path)


@contextmanager
def leaving_nothing_open() -> Generator[None]:
    before = _open_files()
    yield
    assert _open_files() == before


@contextmanager
def few_files(number: int) -> Generator[None]:
    """Lets this process open only so many more files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(_open_files()) + 1 + number, before[1]))
    taken = list(_as_many_as_may_be())
    for file in taken[:number]:
        os.close(file)
    try:
        yield
    finally:
        for file in taken[number:]:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


class TestAdopt:
    @pytest.mark.parametrize("spoil", [Path.mkdir, pipe])
    @pytest.mark.parametrize("name", ["0000000002.spool", "shipped"])
    def test_unreadable_log_is_left_unchanged(
        self, folder: SpoolFolder, tmp_path: Path, name: str, spoil: Callable[[Path], None]
    ) -> None:
        spoil(tmp_path / PROCESS_LOG / name)
        with leaving_nothing_open():
            assert folder.adopt() == []
        bad = tmp_path / PROCESS_LOG / name
        bad.rename(tmp_path / "away")
        (process_log,) = folder.adopt()
        assert [segment.number for segment in process_log.segments] == [1]
        folder.close(process_log)


class TestNewProcessLog:
    def test_unfinished_log_can_be_adopted(self, folder: SpoolFolder, tmp_path: Path) -> None:
        with leaving_nothing_open(), few_files(2), pytest.raises(OSError, match="Too many open files"):
            folder.new_process_log()
        assert len(list(tmp_path.glob("lane-*/lock"))) == 1
        process_logs = folder.adopt()
        for process_log in process_logs:
            folder.close(process_log)
        assert len(process_logs) == 2


class TestClose:
    def test_log_that_cannot_be_removed_is_unlocked(self, folder: SpoolFolder, tmp_path: Path) -> None:
        with leaving_nothing_open():
            (process_log,) = folder.adopt()
            (tmp_path / PROCESS_LOG / "in the way").mkdir()
            with pytest.raises(OSError, match="in the way"):
                folder.close(process_log)
        (tmp_path / PROCESS_LOG / "in the way").rmdir()
        (again,) = folder.adopt()
        folder.close(again)
        assert list(tmp_path.glob("lane-*")) == []

    async def test_failure_of_one_log_does_not_keep_the_others(self, tmp_path: Path, own_bus) -> None:
        for name in ("lane-1", "lane-2"):
            (tmp_path / name / "in-the-way").mkdir(parents=True)
        (tmp_path / "lane-2" / "in-the-way").rmdir()

        async def park(_record: Record, _reason: str) -> None:
            raise AssertionError

        disk = DiskThread()
        shipper = Shipper(own_bus, park, SpoolFolder(tmp_path), disk, synced=False)
        with leaving_nothing_open():
            await shipper.adopt()
            assert len(shipper.process_logs) == 2
            await shipper.end()
        disk.close()
        assert not (tmp_path / "lane-2").exists()


def _as_many_as_may_be() -> Iterator[int]:
    with suppress(OSError):
        while True:
            yield os.open(os.devnull, os.O_RDONLY)


def _open_files() -> set[int]:
    return {int(path.name) for path in Path("/dev/fd").iterdir()}
