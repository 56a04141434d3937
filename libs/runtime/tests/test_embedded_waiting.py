"""Tests that a start is waited for as long as the server makes progress."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import asyncpg
import pytest

from mlplace_runtime.db.embedded import EmbeddedPostgres, waiting
from mlplace_runtime.db.embedded.errors import (
    DatabaseDiskFullError,
    ServerFailedError,
    ServerSilentError,
    StartInterruptedError,
)
from mlplace_runtime.db.embedded.identity import server_user
from mlplace_runtime.db.embedded.output import ServerOutput
from mlplace_runtime.db.embedded.programs import ProgramLauncher
from mlplace_runtime.db.embedded.waiting import wait_until_ready

_STARTS = """
import os, sys, time
print("LOG:  redo starts at 0/1000000", flush=True)
open(sys.argv[1] + "/postmaster.pid", "w").write(f"{os.getpid()}\\nx\\n1\\n5432\\n\\n\\n\\nready   \\n")
time.sleep(600)
"""
_HANGS = "import time; print('LOG:  starting', flush=True); time.sleep(600)"
_FAILS = "import sys; sys.exit(print('FATAL:  could not open the moon') or 1)"
_IS_FULL = "import sys; sys.exit(print('PANIC:  could not write to file: No space left on device') or 1)"


class _Started:
    """A program that stands in for the server."""

    def __init__(self, folder: Path, program: str) -> None:
        self.said: list[str] = []
        self.interrupted = threading.Event()
        self._folder = folder
        self.process = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE)

    def wait(self, silent_seconds: float = 60.0) -> None:
        launch = ProgramLauncher(server_user(), self._folder)
        output = ServerOutput(self._folder / "log", megabytes=1, files=1)
        try:
            wait_until_ready(
                self.process, launch, output,
                interrupted=self.interrupted, say=self.said.append, silent_seconds=silent_seconds,
            )  # fmt: skip
        finally:
            self.process.kill()
            self.process.wait()


class TestWaiting:
    def test_a_server_that_becomes_ready_is_waited_for(self, tmp_path: Path) -> None:
        _Started(tmp_path, _STARTS).wait()

    def test_a_silent_server_is_given_up(self, tmp_path: Path) -> None:
        with pytest.raises(ServerSilentError, match="neither became ready nor did anything"):
            _Started(tmp_path, _HANGS).wait(silent_seconds=0.0)

    def test_a_server_that_ends_is_reported_with_its_reason_in_one_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(ServerFailedError, match="did not start: could not open the moon"):
            _Started(tmp_path, _FAILS).wait()

    def test_a_full_disk_is_named_in_the_error(self, tmp_path: Path) -> None:
        with pytest.raises(DatabaseDiskFullError, match="is full"):
            _Started(tmp_path, _IS_FULL).wait()

    def test_the_wait_can_be_interrupted(self, tmp_path: Path) -> None:
        started = _Started(tmp_path, _HANGS)
        started.interrupted.set()
        with pytest.raises(StartInterruptedError):
            started.wait()


class TestWatch:
    """With a clock of the test. `work` is what the server has done: CPU time and bytes."""

    @pytest.fixture
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
        clock = SimpleNamespace(now=0.0, work=0)
        monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: clock.now))
        monkeypatch.setattr(waiting, "_work_of", lambda _: clock.work)
        return clock

    @pytest.mark.parametrize("sign", ["a line", "work"])
    def test_a_server_that_makes_progress_is_not_silent_however_long_it_takes(
        self, clock: SimpleNamespace, sign: str
    ) -> None:
        lines = SimpleNamespace(count=0, recovering=False, replayed_megabytes=0)
        watch = waiting._Watch(SimpleNamespace(pid=1), lines, [].append)  # type: ignore[arg-type]
        for _ in range(1000):
            clock.now += 1.5
            lines.count += sign == "a line"
            clock.work += sign == "work"
            assert watch.silent_for() == 0
        for seconds in (2, 4, 6):
            clock.now += 2
            assert watch.silent_for() == seconds

    def test_progress_is_reported_from_time_to_time(self, clock: SimpleNamespace) -> None:
        said: list[str] = []
        lines = SimpleNamespace(count=0, recovering=False, replayed_megabytes=0)
        watch = waiting._Watch(SimpleNamespace(pid=1), lines, said.append)  # type: ignore[arg-type]
        for second in range(12):
            clock.now += 1.1
            lines.recovering, lines.replayed_megabytes = second > 4, 16 * second
            watch.silent_for()
        assert said == [
            "The databases are starting: 2 s so far ...",
            "The databases recover after a crash: 96 MB replayed, 8 s so far ...",
            "The databases recover after a crash: 176 MB replayed, 13 s so far ...",
        ]


class TestRecovery:
    async def test_after_a_crash_all_committed_data_is_there_and_recovery_is_logged(self, tmp_path: Path) -> None:
        async with EmbeddedPostgres(tmp_path / "postgres") as postgres:
            connection = await asyncpg.connect(postgres.admin_dsn())
            await connection.execute("CREATE TABLE t AS SELECT generate_series(1, 200000) AS number")
            connection.terminate()
            assert postgres.pid
            os.kill(postgres.pid, signal.SIGKILL)
        async with EmbeddedPostgres(tmp_path / "postgres") as postgres:
            connection = await asyncpg.connect(postgres.admin_dsn())
            assert await connection.fetchval("SELECT count(*) FROM t") == 200_000
            await connection.close()
        assert "redo starts at" in await asyncio.to_thread((tmp_path / "postgres.log").read_text)
