"""The first start, killed at every point at which it leaves something: the next start continues, a reset removes it."""

import json
import os
import signal
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

import httpx
import psutil
import pytest

from mlplace_runtime.process_identity import ProcessIdentity, works_in
from mlplace_testing.ports import free_port
from mlplace_testing.processes import ForkServer

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

POINTS: Final = (
    "rename:format.json:1",
    "appears:.postgres.*.making/global:1",  # initdb runs
    "appears:.postgres.*.making/base/5:1",  # initdb is almost done
    "rename:/postgres:1",
    "rename:pg_hba.conf:2",  # of the cluster in its final folder
    "program:unix_socket_directories:1",
    "rename:platform.process.json:1",  # the server runs, but is not recorded yet
    "sql:CREATE ROLE mlpcore:1",
    "sql:CREATE DATABASE mlpcore:1",
    "call:mlplace_runtime.db.migrations/_upgrade:3",  # not committed
    "rename:secrets.json:1",
    "mkdir:usage-spool:1",
    "rename:demo.json:1",
    "call:standalone.demo.bootstrap_client/BootstrapClient/ensure_user:2",
    "rename:agent.json:1",
    "rename:process.json:2",  # the agent runs, but is not recorded yet
    "call:standalone.demo.setup/Demo/_ensure_service:2",
    "rename:demo.json:2",  # the key exists, but is not recorded yet
)
FOR_RESET: Final = (
    "rename:format.json:1",
    "appears:.postgres.*.making/global:1",
    "rename:platform.process.json:1",
)


class _Installation:
    def __init__(self, folder: Path, fork_server: ForkServer) -> None:
        self.data = folder / "data"
        self._port, self._gate_port = free_port(), free_port()
        self._log = folder / "output"
        self._fork_server = fork_server
        self._pid: int | None = None

    @property
    def api(self) -> str:
        return f"http://localhost:{self._port}/api"

    def _start(self, module: str, *arguments: str) -> None:
        """Its output goes to no pipe: processes that a killed platform leaves would hold it open."""
        self._log.write_text("")
        self._pid = self._fork_server.run(
            module, *arguments, "--data-dir", str(self.data), environment={}, log=self._log
        )

    def _ended(self, number: int = 0) -> int:
        """Wait for the end after sending `number` (0: no signal). Returns the exit code, negative for a signal."""
        assert self._pid
        return self._fork_server.end(self._pid, number)  # type: ignore[arg-type]  # 0 has no name

    def killed_at(self, point: str) -> None:
        self._start("killed_start", point, "run", *self._ports())
        assert self._ended() == -signal.SIGKILL, f"{point} was not reached: {self._log.read_text()}"

    def _ports(self) -> tuple[str, ...]:
        return "--port", str(self._port), "--grpc-port", str(self._gate_port)

    def start(self) -> str:
        """Returns the output once the platform is up."""
        self._start("standalone", "run", *self._ports())
        while "stop: Ctrl-C" not in (said := self._log.read_text()):
            assert self._pid
            assert ProcessIdentity.of(self._pid), said
            time.sleep(0.05)
        return said

    def kill(self) -> None:
        self._ended(signal.SIGKILL)

    def reset(self) -> None:
        self._start("standalone", "reset")
        assert self._ended() == 0, self._log.read_text()

    def belongings(self) -> list[int]:
        """Processes that use the folder."""
        return [
            process.pid
            for process in psutil.process_iter(["cmdline"])
            if process.pid != os.getpid()
            and process.is_running()
            and process.status() != psutil.STATUS_ZOMBIE
            and (
                str(self.data) in " ".join(process.info["cmdline"] or ())
                or works_in(process.pid, self.data / "postgres")
            )
        ]


@pytest.fixture(scope="module")
def fork_server() -> Generator[ForkServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        made = ForkServer("standalone.platform")
    with made:
        yield made


@pytest.fixture
def installation(tmp_path: Path, fork_server: ForkServer) -> Generator[_Installation]:
    made = _Installation(tmp_path, fork_server)
    yield made
    if made.data.exists():
        made.reset()


class TestKilled:
    def test_the_next_start_continues_from_every_point(self, installation: _Installation) -> None:
        """Each start continues what the previous one left. At the end a reset stops all processes."""
        for point in POINTS:
            installation.killed_at(point)
        self._is_whole(installation, installation.start())
        assert not [*installation.data.glob(".*.new"), *installation.data.glob(".*.making")]
        assert not list(installation.data.glob("*/.*.new"))
        installation.kill()
        self._is_removed(installation)

    def test_a_reset_removes_the_data_and_stops_processes(self, installation: _Installation) -> None:
        for point in FOR_RESET:
            installation.killed_at(point)
            self._is_removed(installation)

    @staticmethod
    def _is_removed(installation: _Installation) -> None:
        installation.reset()
        assert not installation.data.exists()
        assert installation.belongings() == []

    @staticmethod
    def _is_whole(installation: _Installation, said: str) -> None:
        state = json.loads((installation.data / "demo.json").read_text())
        answer = httpx.post(
            f"{installation.api}/mlpgateway/account/acme/model/greeting/predict",
            json={"name": "Ada"}, headers={"MLP-API-KEY": state["api_key"]}, timeout=60,
        )  # fmt: skip
        assert answer.status_code == 200, answer.text
        for login, password in state["passwords"].items():
            assert password in said
            credentials = {"login": login, "password": password}
            signed_in = httpx.post(
                f"{installation.api}/accountsadmin/c/authorization/login", json=credentials, timeout=60
            )
            assert signed_in.status_code == 200, signed_in.text


class TestReset:
    def test_a_second_reset_completes_a_killed_one(self, installation: _Installation) -> None:
        installation.data.mkdir()
        for name in ("removing", "format.json", "secrets.json"):
            (installation.data / name).touch()
        (installation.data / "postgres" / "base").mkdir(parents=True)
        installation.reset()
        assert not installation.data.exists()

    def test_keeps_a_folder_of_another_program(self, installation: _Installation) -> None:
        photo = installation.data / "dear.jpg"
        photo.parent.mkdir()
        photo.touch()
        with pytest.raises(AssertionError, match="is not a data folder of MLPlace"):
            installation.reset()
        photo.unlink()
        photo.parent.rmdir()
