"""One service as a separate process, as in its container."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from pydantic import ValidationError

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.provision import ServiceDatabase, provision
from mlplace_testing.ports import free_port

SERVICE = "mlpbilling"
KEY = "ab" * 32


@pytest.fixture
async def database(embedded_postgres: EmbeddedPostgres) -> AsyncGenerator[ServiceDatabase]:
    yield await embedded_postgres.service_database(SERVICE, "billing_process")
    await embedded_postgres.drop("billing_process")


def environment(database: ServiceDatabase, bus: str) -> dict[str, str]:
    return {
        **os.environ,
        "MLP_INTERNAL_TOKEN": KEY,
        "MLP_HASH_SECRET": KEY,
        "MLP_ENVELOPE_KEY": KEY,
        "MLP_BUS": bus,
        "MLP_HOST": "127.0.0.1",
        "MLP_PORT": "0",
        "MLP_MLPBILLING_DATABASE_URL": database.service_url,
        "MLP_MLPBILLING_OWNER_DATABASE_URL": database.owner_url,
    }


def run(verb: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", SERVICE, verb], env=env, check=False, capture_output=True, text=True, timeout=60
    )


@contextlib.contextmanager
def serving(env: dict[str, str], log: Path) -> Generator[tuple["subprocess.Popen[bytes]", str]]:
    with log.open("wb") as stream:
        process = subprocess.Popen([sys.executable, "-m", SERVICE, "serve"], env=env, stderr=stream)
    try:
        yield process, f"http://127.0.0.1:{_port(process, log)}"
    finally:
        process.kill()
        process.wait()


def _port(process: "subprocess.Popen[bytes]", log: Path) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        for line in log.read_text().splitlines():
            if '"service_started"' in line:
                return int(json.loads(line)["port"])
        time.sleep(0.05)
    raise AssertionError(log.read_text())


def until(url: str, status: int) -> httpx.Response:
    deadline = time.monotonic() + 60
    while (answer := httpx.get(url)).status_code != status and time.monotonic() < deadline:
        time.sleep(0.05)
    return answer


class TestProcess:
    def test_migrates_serves_and_stops(self, database: ServiceDatabase, tmp_path: Path) -> None:
        env = environment(database, str(tmp_path / "bus.sqlite3"))
        for _ in range(2):
            migrated = run("migrate", env)
            assert migrated.returncode == 0, migrated.stderr
        with serving(env, tmp_path / "log") as (process, url):
            assert until(f"{url}/health/ready", 200).json() == {"status": "ok", "missing": {}}
            assert "mlp_http_request_seconds" in httpx.get(f"{url}/metrics").text
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0

    def test_serves_without_brokers_and_reports_them_missing(self, database: ServiceDatabase, tmp_path: Path) -> None:
        env = environment(database, f"kafka://127.0.0.1:{free_port()}")
        assert run("migrate", env).returncode == 0
        with serving(env, tmp_path / "log") as (process, url):
            ready = until(f"{url}/health/ready", 200).json()
            assert ready["status"] == "degraded"
            assert ready["missing"].keys() == {"events", "identities"}
            assert httpx.get(f"{url}/health/live").status_code == 200
            assert httpx.get(f"{url}/api/mlpbilling/openapi.json").status_code == 200
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0

    def test_invalid_settings_give_a_clear_error_without_secrets(self, database: ServiceDatabase) -> None:
        refused = run("serve", {**environment(database, "bus"), "MLP_HASH_SECRET": "too-short"})
        assert refused.returncode == 1
        assert "MLP_HASH_SECRET must be 64 hexadecimal digits" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert "too-short" not in refused.stderr


class TestPrepare:
    async def test_sets_and_changes_passwords_of_roles(self, embedded_postgres: EmbeddedPostgres) -> None:
        import asyncpg

        from mlplace_runtime.process import SERVICES
        from standalone.installation.prepare import prepare_databases
        from standalone.installation.settings import PrepareSettings

        admin = embedded_postgres.admin_dsn()
        server = admin.partition("?")[2]
        seen: list[str] = []
        for password in ("first", "it's-the-second"):
            urls = {
                f"{service}_{kind}": f"postgresql+asyncpg://{role}:{quote(password)}@/prepared_{service}?{server}"
                for service in SERVICES
                for kind, role in (("database_url", service), ("owner_database_url", f"{service}_owner"))
            }
            await prepare_databases(PrepareSettings(admin_database_url=admin, **urls))  # type: ignore[arg-type]  # strings all
            connection = await asyncpg.connect(admin)
            seen.append(await connection.fetchval("SELECT rolpassword FROM pg_authid WHERE rolname = 'mlpcore'"))
            await connection.close()
        for service in SERVICES:
            await embedded_postgres.drop(f"prepared_{service}")
        assert all(stored.startswith("SCRAM-SHA-256$") for stored in seen)
        assert seen[0] != seen[1]

    async def test_needs_no_administrator_where_roles_and_databases_exist(
        self, embedded_postgres: EmbeddedPostgres
    ) -> None:
        import asyncpg

        from mlplace_runtime.process import SERVICES
        from standalone.installation.prepare import prepare_databases
        from standalone.installation.settings import PrepareSettings

        admin = embedded_postgres.admin_dsn()
        server = admin.partition("?")[2]
        urls: dict[str, str] = {}
        for service in SERVICES:
            await provision(admin, service=service, database=f"ready_{service}")
            for kind, role in (("database_url", service), ("owner_database_url", f"{service}_owner")):
                urls[f"{service}_{kind}"] = f"postgresql+asyncpg://{role}@/ready_{service}?{server}"
        await prepare_databases(PrepareSettings(**urls))  # type: ignore[arg-type]  # strings all
        for service in SERVICES:
            connection = await asyncpg.connect(urls[f"{service}_database_url"].replace("+asyncpg", ""))
            assert await connection.fetchval("SELECT count(*) FROM dead_letter") == 0
            await connection.close()
            await embedded_postgres.drop(f"ready_{service}")

    async def test_each_database_may_lie_on_a_server_with_an_administrator_of_its_own(
        self, embedded_postgres: EmbeddedPostgres, tmp_path: Path
    ) -> None:
        from mlplace_runtime.process import SERVICES
        from standalone.installation.prepare import prepare_databases
        from standalone.installation.settings import PrepareSettings

        async with EmbeddedPostgres(tmp_path / "postgres", durable=False) as another:
            servers = {service: another if service == "mlpbilling" else embedded_postgres for service in SERVICES}
            urls = {
                f"{service}_{kind}": server.url(role=role, database=f"apart_{service}")
                for service, server in servers.items()
                for kind, role in (("database_url", service), ("owner_database_url", f"{service}_owner"))
            }
            admins = {
                "admin_database_url": embedded_postgres.admin_dsn(),
                "mlpbilling_admin_database_url": another.admin_dsn(),
            }
            await prepare_databases(PrepareSettings(**admins, **urls))  # type: ignore[arg-type]  # strings all
            assert await _tables(another, "apart_mlpbilling") > 0
            for service in set(SERVICES) - {"mlpbilling"}:
                assert await _tables(embedded_postgres, f"apart_{service}") > 0
                await embedded_postgres.drop(f"apart_{service}")

    def test_refuses_a_role_that_migrations_do_not_know(self) -> None:
        from mlplace_runtime.process import SERVICES
        from standalone.installation.settings import PrepareSettings

        urls = {
            f"{service}_{kind}": f"postgresql+asyncpg://{role}@db/{service}"
            for service in SERVICES
            for kind, role in (("database_url", service), ("owner_database_url", f"{service}_owner"))
        }
        urls["mlpcore_database_url"] = "postgresql+asyncpg://core@db/mlpcore"
        with pytest.raises(ValidationError, match="MLP_MLPCORE_DATABASE_URL must name the role mlpcore as its user"):
            PrepareSettings(**urls)  # type: ignore[arg-type]  # strings all


async def _tables(server: EmbeddedPostgres, database: str) -> int:
    import asyncpg

    connection = await asyncpg.connect(server.admin_dsn(database))
    try:
        return await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
    finally:
        await connection.close()
