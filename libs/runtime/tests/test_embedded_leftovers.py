"""Tests that servers left by a crash are stopped, and that other processes with their ids are not."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from mlplace_runtime.db.embedded import EmbeddedPostgres, launcher
from mlplace_runtime.db.embedded.identity import server_user
from mlplace_runtime.db.embedded.leftover import end_leftover, find_server
from mlplace_runtime.db.embedded.programs import ProgramLauncher, program
from mlplace_runtime.process_identity import ProcessIdentity

_ORPHAN = """
import os, signal, sys
from pathlib import Path
from mlplace_runtime.db.embedded import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]), durable=False)
server.start_blocking()
print(server.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Generator[Path]:
    yield tmp_path / "postgres"
    end_leftover(tmp_path / "postgres")


def _orphan(folder: Path) -> int:
    """Returns the id of a server whose parent was killed."""
    command = [sys.executable, "-c", _ORPHAN, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        return int(parent.stdout.readline())


@pytest.fixture
def stranger() -> Generator["subprocess.Popen[bytes]"]:
    """A process that has nothing to do with databases."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()


def _claim(folder: Path, pid: int, started: float) -> None:
    """Writes `postmaster.pid` as a killed server leaves it."""
    lines = (pid, folder, int(started), 5432, "sockets", "", "  1 2", "ready   ")
    (folder / "postmaster.pid").write_text("".join(f"{line}\n" for line in lines))


class TestLeftover:
    async def test_is_stopped_by_the_next_start_and_its_data_is_kept(self, folder: Path) -> None:
        left = _orphan(folder)
        assert ProcessIdentity.of(left)
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            assert postgres.pid != left
            assert ProcessIdentity.of(left) is None

    def test_is_recognised_without_its_mark_file(self, folder: Path) -> None:
        left = _orphan(folder)
        (folder / "platform.process.json").unlink()
        found = find_server(folder)
        assert found
        assert found.pid == left
        end_leftover(folder)
        assert ProcessIdentity.of(left) is None

    def test_is_waited_for_until_it_has_written_its_pid_file(self, folder: Path) -> None:
        left = _orphan(folder)
        claim, later = folder / "postmaster.pid", folder / "later"
        claim.rename(later)
        threading.Timer(0.5, later.rename, [claim]).start()
        end_leftover(folder)
        assert ProcessIdentity.of(left) is None

    def test_with_another_start_time_is_not_touched(self, folder: Path) -> None:
        left = _orphan(folder)
        mark = folder / "platform.process.json"
        text = mark.read_text()
        mark.write_text(text.replace('"started":', '"started":1'))
        assert find_server(folder) is None
        assert ProcessIdentity.of(left)
        mark.write_text(text)


class TestStranger:
    async def test_with_the_servers_id_survives_start_and_stop(
        self, folder: Path, stranger: "subprocess.Popen[bytes]"
    ) -> None:
        async with EmbeddedPostgres(folder, durable=False):
            pass
        for started in (psutil.Process(stranger.pid).create_time(), time.time() - 10_000):
            _claim(folder, stranger.pid, started)
            async with EmbeddedPostgres(folder, durable=False) as postgres:
                assert postgres.pid != stranger.pid
            assert stranger.poll() is None

    def test_with_the_servers_id_survives_a_reset(self, folder: Path, stranger: "subprocess.Popen[bytes]") -> None:
        folder.mkdir()
        _claim(folder, stranger.pid, psutil.Process(stranger.pid).create_time())
        end_leftover(folder)
        assert stranger.poll() is None

    async def test_a_server_of_another_folder_survives(self, folder: Path, tmp_path: Path) -> None:
        async with EmbeddedPostgres(tmp_path / "other", durable=False) as other:
            async with EmbeddedPostgres(folder, durable=False):
                pass
            assert other.pid
            _claim(folder, other.pid, psutil.Process(other.pid).create_time())
            async with EmbeddedPostgres(folder, durable=False):
                assert ProcessIdentity.of(other.pid)

    @pytest.mark.parametrize("text", ["", "nonsense\n", "12\n", "99999999999999999999\nx\ny\n"])
    async def test_a_damaged_pid_file_does_not_prevent_the_start(self, folder: Path, text: str) -> None:
        async with EmbeddedPostgres(folder, durable=False):
            pass
        (folder / "postmaster.pid").write_text(text)
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            assert postgres.pid


class TestLauncher:
    @pytest.mark.parametrize("die_with_parent", [True, False])
    def test_starts_no_program_if_its_parent_is_dead(self, tmp_path: Path, *, die_with_parent: bool) -> None:
        wanted = {
            "command": ["/usr/bin/env", "touch", str(tmp_path / "begun")], "folder": str(tmp_path),
            "parent": 1, "die_with_parent": die_with_parent, "user": None, "group": 0, "covered": [], "shown": [],
        }  # fmt: skip
        command = [sys.executable, "-I", "-S", launcher.__file__, json.dumps(wanted)]
        assert subprocess.run(command, check=False).returncode == 125
        assert not (tmp_path / "begun").exists()


class TestUnfinished:
    def test_a_process_on_an_incomplete_cluster_is_killed(self, folder: Path) -> None:
        """`initdb` feeds a server through a pipe; a killed initdb leaves a server that still writes for a moment."""
        made = EmbeddedPostgres(folder, durable=False)
        made.start_blocking()
        made.stop()
        making = folder.with_name(f".{folder.name}.abcd.making")
        folder.rename(making)
        launch = ProgramLauncher(server_user(), making)
        command = ["postgres", "-D", str(making), "-c", "listen_addresses=", "-c", "unix_socket_directories=sockets"]
        with launch.start(command, die_with_parent=False) as server:
            while not (making / "postmaster.pid").exists():
                assert server.poll() is None
                time.sleep(0.01)
            end_leftover(folder)
            assert ProcessIdentity.of(server.pid) is None

    def test_a_process_about_to_become_a_server_is_waited_for(self, folder: Path) -> None:
        folder.mkdir()
        wait = [sys.executable, "-c", "import time; time.sleep(1)", str(program("postgres"))]
        with subprocess.Popen(wait, cwd=folder) as launching:
            end_leftover(folder)
            assert ProcessIdentity.of(launching.pid) is None

    def test_a_process_without_a_command_line_is_waited_for(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is empty for a moment, while the system replaces the program of a process that has begun."""
        folder.mkdir()
        wait = [sys.executable, "-c", "import time; time.sleep(1)", str(program("postgres"))]
        with subprocess.Popen(wait, cwd=folder) as launching:
            _without_a_command_line(launching.pid, monkeypatch, looks=3)
            end_leftover(folder)
            assert ProcessIdentity.of(launching.pid) is None

    def test_a_process_on_an_incomplete_cluster_is_killed_once_it_has_one(
        self, folder: Path, stranger: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
    ) -> None:
        making = folder.with_name(f".{folder.name}.abcd.making")
        making.mkdir()
        wait = [sys.executable, "-c", "import time; time.sleep(600)", str(program("postgres"))]
        killed: list[tuple[int, int]] = []
        kill = os.kill
        with subprocess.Popen(wait, cwd=making) as launching:
            left = _without_a_command_line(launching.pid, monkeypatch, looks=3)
            monkeypatch.setattr(os, "kill", lambda pid, number: (killed.append((pid, len(left))), kill(pid, number)))
            end_leftover(folder)
            assert ProcessIdentity.of(launching.pid) is None
        assert killed == [(launching.pid, 0)]
        assert stranger.poll() is None


def _without_a_command_line(pid: int, monkeypatch: pytest.MonkeyPatch, *, looks: int) -> list[None]:
    """The process has none at this many looks. Returns those that are left."""
    left: list[None] = [None] * looks
    cmdline = psutil.Process.cmdline

    def look(process: psutil.Process) -> list[str]:
        if process.pid == pid and left:
            left.pop()
            return []
        return cmdline(process)

    monkeypatch.setattr(psutil.Process, "cmdline", look)
    return left


class TestOrphanedWorkers:
    async def test_are_waited_for(self, folder: Path) -> None:
        """A killed main process leaves others for a moment, which may still write."""
        left = _orphan(folder)
        os.kill(left, signal.SIGKILL)
        async with EmbeddedPostgres(folder, durable=False) as postgres:
            assert await asyncio.to_thread(_answers, postgres)


def _answers(postgres: EmbeddedPostgres) -> bool:
    import asyncpg

    async def ask() -> bool:
        connection = await asyncpg.connect(postgres.admin_dsn())
        try:
            return await connection.fetchval("SELECT 1") == 1
        finally:
            await connection.close()

    return asyncio.run(ask())
