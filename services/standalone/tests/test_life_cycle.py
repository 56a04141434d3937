"""The platform as a process: its output when it starts, stops, is killed, or cannot start."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path

import asyncpg
import httpx
import psutil
import pytest

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.process import SERVICES
from mlplace_testing.ports import free_port
from mlplace_testing.waiting import eventually

from .constant_calls import ConstantCalls
from .platform_process import MODEL, Owner, Platform

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


_SETS_UP = "Setting up the demo accounts and services ..."
_MADE = """
    SELECT system_identifier::text FROM pg_control_system()
    UNION ALL SELECT version_num || xmin::text FROM alembic_version
    UNION ALL (SELECT oid::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY oid)
"""
_TRANSACTIONS = "SELECT sum(xact_commit + xact_rollback)::bigint FROM pg_stat_database"
_WINDOW_SECONDS = 10.0
_MOST_WINDOWS = 9
_VISITOR_CALLS = 6
"""In a minute, from one address: the default of MLP_MLPGATEWAY_VISITOR_CALLS_PER_MINUTE."""
_MOST_TRANSACTIONS = 25
"""In a second: 40 while each look was a transaction, 18 now, and 60 in the first seconds after a start."""


@pytest.fixture(scope="module")
def platform() -> Generator[Platform]:
    with tempfile.TemporaryDirectory(prefix="mlplace-life-") as folder:
        made = Platform(Path(folder))
        yield made
        for process in made.belongings():
            process.kill()


_Databases = dict[str, list[str]]


@pytest.fixture(scope="module")
def made() -> list[_Databases]:
    """What the first start made."""
    return []


async def _databases(platform: Platform) -> _Databases:
    """By service: ids of the cluster and of the tables, and of the transaction of the last migration."""
    found: _Databases = {}
    for service in SERVICES:
        async with _connection(platform, service) as connection:
            found[service] = [row[0] for row in await connection.fetch(_MADE)]
    return found


@asynccontextmanager
async def _connection(platform: Platform, database: str) -> AsyncGenerator["asyncpg.Connection[asyncpg.Record]"]:
    server = EmbeddedPostgres(platform.data / "postgres")
    server.attach()
    connection = await asyncpg.connect(server.admin_dsn(database))
    try:
        yield connection
    finally:
        await connection.close()
        server.stop()


def _predict(platform: Platform, **headers: str) -> httpx.Response:
    sent = {"MLP-API-KEY": platform.api_key} | {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(platform.predict_url, json={"name": "Ada"}, headers=sent, timeout=60)


def _try_out(platform: Platform, said: str) -> httpx.Response:
    """Calls without a key. `said` is X-Forwarded-For."""
    url = platform.predict_url.removesuffix("predict") + "try"
    return httpx.post(url, json={"name": "Ada"}, headers={"X-Forwarded-For": said}, timeout=60)


@asynccontextmanager
async def _only_from(platform: Platform, *networks: str) -> AsyncGenerator[None]:
    """The demo's key is accepted from these networks only."""

    async def status() -> int:
        return _predict(platform).status_code

    with Owner.signed_in(platform, "admin@example.org") as admin:
        admin.post("/api/mlpcore/admin/account/demo/whiteList", networks)
        try:
            await eventually(status, until=lambda found: found == 403)
            yield
        finally:
            admin.post("/api/mlpcore/admin/account/demo/whiteList", [])
            await eventually(status, until=lambda found: found == 200)


@pytest.mark.ordered
class TestLifeCycle:
    """The tests run in order; each uses the state that the previous one left."""

    async def test_the_first_start_prints_logins_a_key_and_a_curl_that_works(
        self, platform: Platform, made: list[_Databases]
    ) -> None:
        platform.start()
        platform.wait_for("stop: Ctrl-C")
        made.append(await _databases(platform))
        for text in (_SETS_UP, "demo@example.org", "acme@example.org", "MLP-API-KEY", "ner-ru/predict"):
            assert text in platform.output
        assert all(password in platform.output for password in platform.passwords.values())
        answer = _predict(platform)
        assert answer.status_code == 200, answer.text

    def test_only_the_owner_can_read_the_data(self, platform: Platform) -> None:
        """The databases' system user may pass through the folder, and owns its own subfolder."""
        kept = [path for path in platform.data.rglob("*") if platform.data / "postgres" not in (path, *path.parents)]
        assert {"bus.sqlite3", "platform.log", "secrets.json"} <= {path.name for path in kept}
        assert not [path for path in kept if path.stat().st_mode & 0o077]

    def test_ctrl_c_stops_everything(self, platform: Platform) -> None:
        assert platform.belongings()
        assert platform.stop(signal.SIGINT) == 0
        assert platform.belongings() == []

    async def test_a_second_start_keeps_the_data_and_repeats_nothing_that_takes_long(
        self, platform: Platform, made: list[_Databases]
    ) -> None:
        """It makes no cluster, migrates no database and sets up no demo: so it takes a fraction of the first one's time."""
        platform.start()
        platform.wait_for("stop: Ctrl-C")
        assert _SETS_UP not in platform.output
        assert [await _databases(platform)] == made
        assert _predict(platform).status_code == 200

    async def test_an_idle_platform_asks_its_databases_seldom(self, platform: Platform) -> None:
        """A count, not a time: other load on the machine does not increase it, but a start takes longer then."""
        rates = list[float]()
        async with _connection(platform, "postgres") as connection:
            while len(rates) < _MOST_WINDOWS and min(rates, default=_MOST_TRANSACTIONS) >= _MOST_TRANSACTIONS:
                before = await connection.fetchval(_TRANSACTIONS)
                await asyncio.sleep(_WINDOW_SECONDS)
                rates.append((await connection.fetchval(_TRANSACTIONS) - before) / _WINDOW_SECONDS)
        assert min(rates) < _MOST_TRANSACTIONS, rates

    @pytest.mark.parametrize(("how", "count"), [("service", 2), ("image", 1)])
    def test_a_restart_of_a_service_costs_no_call(self, platform: Platform, how: str, count: int) -> None:
        """Each instance is replaced by a new process. The new one answers before the old one stops."""
        calls = ConstantCalls(platform.predict_url, platform.api_key, {"name": "Ada"})
        with Owner.signed_in(platform) as owner:
            owner.scale(count)
            owner.post(MODEL, {"modelName": "greeting", "rejectRequestsIfInactive": True})
            old = owner.instances()
            with calls.made(callers=4):
                owner.restart(how)
                owner.until_done()
            assert len(owner.instances()) == count
            assert not owner.instances() & old
            owner.post(MODEL, {"modelName": "greeting", "rejectRequestsIfInactive": False})
        assert set(calls.answers) == {"200"}, calls.answers

    def test_passwords_are_random_and_printed_once(self, platform: Platform) -> None:
        assert len(set(platform.passwords.values())) == 3
        assert not [password for password in platform.passwords.values() if password in platform.output]
        assert str(platform.data / "demo.json") in platform.output
        url = f"http://localhost:{platform.port}/api/accountsadmin/c/authorization/login"
        for login, password in platform.passwords.items():
            assert httpx.post(url, json={"login": login, "password": password}, timeout=60).status_code == 200
            assert httpx.post(url, json={"login": login, "password": "mlplace-demo"}, timeout=60).status_code != 200

    async def test_a_header_passes_no_list_of_networks(self, platform: Platform) -> None:
        async with _only_from(platform, "203.0.113.9"):
            assert _predict(platform, X_Forwarded_For="203.0.113.9").status_code == 403
            assert _predict(platform, X_Real_IP="203.0.113.9", Forwarded="for=203.0.113.9").status_code == 403

    def test_a_header_gives_nobody_another_address(self, platform: Platform) -> None:
        """Else each attempt would be the first of a new address."""
        url = f"http://localhost:{platform.port}/api/accountsadmin/c/authorization/login"
        body = {"login": "nobody@example.org", "password": "wrong"}
        statuses = [
            httpx.post(url, json=body, headers={"X-Forwarded-For": f"203.0.113.{number}"}, timeout=60).status_code
            for number in range(12)
        ]
        assert statuses[-1] == 429, statuses

    def test_a_header_gives_no_visitor_more_calls(self, platform: Platform) -> None:
        answers = [_try_out(platform, f"203.0.113.{number}") for number in range(_VISITOR_CALLS + 1)]
        assert [answer.status_code for answer in answers] == [200] * _VISITOR_CALLS + [429]
        assert answers[-1].json()["args"] == {"limit": str(_VISITOR_CALLS), "period": "MINUTE", "of": "address"}
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60

    def test_listens_only_on_this_machine(self, platform: Platform) -> None:
        assert platform.process is not None
        family = psutil.Process(platform.process.pid)
        listening: list[str] = []
        for process in (family, *family.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # a child may end at any time
                found = process.net_connections(kind="inet")
                listening += [
                    each.laddr.ip.removeprefix("::ffff:") for each in found if each.status == psutil.CONN_LISTEN
                ]
        assert listening
        assert {address for address in listening if not ip_address(address).is_loopback} == set()

    def test_a_second_platform_on_the_same_data_gives_a_clear_error(self, platform: Platform) -> None:
        command = [sys.executable, "-m", "standalone", "run", "--port", str(free_port(10))]
        second = subprocess.run(
            [*command, "--data-dir", str(platform.data)], capture_output=True, text=True, timeout=60, check=False
        )
        assert second.returncode == 1
        assert "already running" in second.stderr
        assert len(second.stderr.splitlines()) == 1

    def test_a_busy_port_gives_a_clear_error(self, platform: Platform, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "standalone", "run", "--port", str(platform.port)]
        second = subprocess.run(
            [*command, "--data-dir", str(tmp_path / "other")], capture_output=True, text=True, timeout=60, check=False
        )
        assert second.returncode == 1
        assert f"Port {platform.port} is in use" in second.stderr
        assert len(second.stderr.splitlines()) == 1

    def test_a_start_after_a_kill_keeps_the_data_and_leaves_no_orphans(self, platform: Platform) -> None:
        assert platform.process is not None
        before = {process.pid for process in platform.belongings()}
        os.kill(platform.process.pid, signal.SIGKILL)
        platform.process.wait()
        (platform.folder / "output").write_text("")
        platform.start(settings={"MLP_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8"})
        platform.wait_for("stop: Ctrl-C")
        assert _predict(platform).status_code == 200
        postgres = {process.pid for process in platform.belongings() if process.name() == "postgres"}
        stale = [process for process in platform.belongings() if process.pid in before - postgres]
        assert stale == []

    async def test_a_trusted_proxy_says_who_calls(self, platform: Platform) -> None:
        """Of several proxies in a row, the last one that is not trusted is the caller."""
        answers = {
            "203.0.113.9": 200,
            "203.0.113.9, 10.0.0.1": 200,
            "198.51.100.1, 203.0.113.9, 10.0.0.1": 200,
            "2001:db8::9, 10.0.0.1": 200,
            "203.0.113.9, 198.51.100.1": 403,
            "203.0.113.9, 198.51.100.1, 10.0.0.1": 403,
            "2001:db9::9": 403,
            "nonsense": 403,
        }
        async with _only_from(platform, "203.0.113.9", "2001:db8::/32"):
            assert {said: _predict(platform, X_Forwarded_For=said).status_code for said in answers} == answers
            assert _predict(platform, X_Real_IP="203.0.113.9", Forwarded="for=203.0.113.9").status_code == 403

    async def test_a_peer_with_ipv6_is_a_proxy_like_others(self, platform: Platform) -> None:
        assert platform.stop() == 0
        platform.host = "[::1]"
        platform.start("--host", "::1", settings={"MLP_TRUSTED_PROXIES": "::1"})
        platform.wait_for("stop: Ctrl-C")
        answers = {"2001:db8::9": 200, "2001:db8::9, 2001:db9::9": 403, "203.0.113.9": 403, "nonsense": 403}
        async with _only_from(platform, "2001:db8::/32"):
            assert {said: _predict(platform, X_Forwarded_For=said).status_code for said in answers} == answers

    def test_visitors_with_ipv6_are_counted_by_their_network(self, platform: Platform) -> None:
        same = [_try_out(platform, f"2001:db8:0:1::{number}").status_code for number in range(_VISITOR_CALLS + 1)]
        assert same == [200] * _VISITOR_CALLS + [429]
        assert _try_out(platform, "2001:db8:0:2::1").status_code == 200

    def test_a_stop_leaves_nothing(self, platform: Platform) -> None:
        assert platform.stop() == 0
        assert platform.belongings() == []

    def test_data_of_a_newer_version_gives_a_clear_error(self, platform: Platform) -> None:
        path = platform.data / "format.json"
        text = path.read_text()
        path.write_text('{"format": 99}')
        platform.start()
        assert platform.process is not None
        assert platform.process.wait(timeout=60) == 1
        assert "newer version" in platform.output
        path.write_text(text)

    def test_reset_deletes_all_data(self, platform: Platform) -> None:
        command = [sys.executable, "-m", "standalone", "reset", "--data-dir", str(platform.data)]
        subprocess.run(command, check=True, timeout=60)
        assert not platform.data.exists()
        assert platform.belongings() == []
