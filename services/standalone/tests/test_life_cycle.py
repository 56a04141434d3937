"""The platform as a process: its output when it starts, stops, is killed, or cannot start."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from ipaddress import ip_address
from pathlib import Path

import asyncpg
import httpx
import psutil
import pytest

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.process_identity import works_in

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


_TRANSACTIONS = "SELECT sum(xact_commit + xact_rollback)::bigint FROM pg_stat_database"
_WINDOW_SECONDS = 15.0


def _free_port() -> int:
    """A free port whose number + 10 is free too, for the gate."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 10))
            except OSError:
                continue
            return port


class _Platform:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = _free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        command = [sys.executable, "-m", "standalone", "run", "--port", str(self.port), "--data-dir", str(self.data)]
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen([*command, *options], stdout=output, stderr=output, start_new_session=True)

    @property
    def passwords(self) -> dict[str, str]:
        """Passwords of the demo's users, by login."""
        return json.loads((self.data / "demo.json").read_text())["passwords"]

    @property
    def output(self) -> str:
        return (self.folder / "output").read_text()

    def wait_for(self, text: str, seconds: float = 120) -> float:
        """Returns the seconds until the output contains the text."""
        began = time.monotonic()
        while text not in self.output:
            assert self.process is not None
            assert self.process.poll() is None, self.output
            assert time.monotonic() - began < seconds, self.output
            time.sleep(0.05)
        return time.monotonic() - began

    def stop(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(timeout=90)
        (self.folder / "output").write_text("")
        return code

    def belongings(self) -> list[psutil.Process]:
        """Every process that uses this data folder: PostgreSQL, the agent, instances."""
        found: list[psutil.Process] = []
        for process in psutil.process_iter(["cmdline", "environ", "pid"]):
            words = " ".join(process.info["cmdline"] or [])
            environment = process.info["environ"] or {}
            is_instance = environment.get("MLP_GRPC_HOST") == f"localhost:{self.port + 10}"
            is_server = works_in(process.pid, self.data / "postgres")
            if process.pid != os.getpid() and (str(self.data) in words or is_instance or is_server):
                found.append(process)
        return found


@pytest.fixture(scope="module")
def platform() -> Generator[_Platform]:
    with tempfile.TemporaryDirectory(prefix="mlplace-life-") as folder:
        made = _Platform(Path(folder))
        yield made
        for process in made.belongings():
            process.kill()


def _predict(platform: _Platform) -> httpx.Response:
    key = json.loads((platform.data / "demo.json").read_text())["api_key"]
    url = f"http://localhost:{platform.port}/api/mlpgateway/account/acme/model/greeting/predict"
    return httpx.post(url, json={"name": "Ada"}, headers={"MLP-API-KEY": key}, timeout=30)


class TestLifeCycle:
    """The tests run in order; each uses the state that the previous one left."""

    def test_the_first_start_prints_logins_a_key_and_a_curl_that_works(self, platform: _Platform) -> None:
        platform.start()
        platform.wait_for("stop: Ctrl-C")
        for text in ("demo@example.org", "acme@example.org", "MLP-API-KEY", "ner-ru/predict"):
            assert text in platform.output
        assert all(password in platform.output for password in platform.passwords.values())
        answer = _predict(platform)
        assert answer.status_code == 200, answer.text

    def test_only_the_owner_can_read_the_data(self, platform: _Platform) -> None:
        """The databases' system user may pass through the folder, and owns its own subfolder."""
        kept = [path for path in platform.data.rglob("*") if platform.data / "postgres" not in (path, *path.parents)]
        assert {"bus.sqlite3", "platform.log", "secrets.json"} <= {path.name for path in kept}
        assert not [path for path in kept if path.stat().st_mode & 0o077]

    def test_ctrl_c_stops_everything(self, platform: _Platform) -> None:
        assert platform.belongings()
        assert platform.stop(signal.SIGINT) == 0
        assert platform.belongings() == []

    def test_a_second_start_is_fast_and_keeps_the_data(self, platform: _Platform) -> None:
        platform.start()
        seconds = platform.wait_for("stop: Ctrl-C")
        assert seconds < 30, "ten on an idle machine; the tests share theirs"
        assert _predict(platform).status_code == 200

    async def test_an_idle_platform_asks_its_databases_seldom(self, platform: _Platform) -> None:
        """A count, not a time: other load on the machine does not increase it."""
        server = EmbeddedPostgres(platform.data / "postgres")
        server.attach()
        connection = await asyncpg.connect(server.admin_dsn())
        try:
            before = await connection.fetchval(_TRANSACTIONS)
            await asyncio.sleep(_WINDOW_SECONDS)
            counted = await connection.fetchval(_TRANSACTIONS) - before
        finally:
            await connection.close()
            server.stop()
        assert counted / _WINDOW_SECONDS < 25, "40 while each look was a transaction, 13 now"

    def test_passwords_are_random_and_printed_once(self, platform: _Platform) -> None:
        assert len(set(platform.passwords.values())) == 3
        assert not [password for password in platform.passwords.values() if password in platform.output]
        assert str(platform.data / "demo.json") in platform.output
        url = f"http://localhost:{platform.port}/api/accountsadmin/c/authorization/login"
        for login, password in platform.passwords.items():
            assert httpx.post(url, json={"login": login, "password": password}, timeout=30).status_code == 200
            assert httpx.post(url, json={"login": login, "password": "mlplace-demo"}, timeout=30).status_code != 200

    def test_listens_only_on_this_machine(self, platform: _Platform) -> None:
        assert platform.process is not None
        family = psutil.Process(platform.process.pid)
        listening = [
            connection.laddr.ip.removeprefix("::ffff:")
            for process in (family, *family.children(recursive=True))
            for connection in process.net_connections(kind="inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert listening
        assert {address for address in listening if not ip_address(address).is_loopback} == set()

    def test_a_second_platform_on_the_same_data_gives_a_clear_error(self, platform: _Platform) -> None:
        command = [sys.executable, "-m", "standalone", "run", "--port", str(_free_port())]
        second = subprocess.run(
            [*command, "--data-dir", str(platform.data)], capture_output=True, text=True, timeout=60, check=False
        )
        assert second.returncode == 1
        assert "already running" in second.stderr
        assert len(second.stderr.splitlines()) == 1

    def test_a_busy_port_gives_a_clear_error(self, platform: _Platform, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "standalone", "run", "--port", str(platform.port)]
        second = subprocess.run(
            [*command, "--data-dir", str(tmp_path / "other")], capture_output=True, text=True, timeout=60, check=False
        )
        assert second.returncode == 1
        assert f"Port {platform.port} is in use" in second.stderr
        assert len(second.stderr.splitlines()) == 1

    def test_a_start_after_a_kill_keeps_the_data_and_leaves_no_orphans(self, platform: _Platform) -> None:
        assert platform.process is not None
        before = {process.pid for process in platform.belongings()}
        os.kill(platform.process.pid, signal.SIGKILL)
        platform.process.wait()
        (platform.folder / "output").write_text("")
        platform.start()
        platform.wait_for("stop: Ctrl-C")
        assert _predict(platform).status_code == 200
        postgres = {process.pid for process in platform.belongings() if process.name() == "postgres"}
        stale = [process for process in platform.belongings() if process.pid in before - postgres]
        assert stale == []
        assert platform.stop() == 0
        assert platform.belongings() == []

    def test_data_of_a_newer_version_gives_a_clear_error(self, platform: _Platform) -> None:
        path = platform.data / "format.json"
        text = path.read_text()
        path.write_text('{"format": 99}')
        platform.start()
        assert platform.process is not None
        assert platform.process.wait(timeout=60) == 1
        assert "newer version" in platform.output
        path.write_text(text)

    def test_reset_deletes_all_data(self, platform: _Platform) -> None:
        command = [sys.executable, "-m", "standalone", "reset", "--data-dir", str(platform.data)]
        subprocess.run(command, check=True, timeout=60)
        assert not platform.data.exists()
        assert platform.belongings() == []
