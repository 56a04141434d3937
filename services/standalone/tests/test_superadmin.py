"""The superadmin command of the all-in-one shape, with and without the running platform."""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
import sqlalchemy as sa

import accountsadmin.main
from mlplace_contracts.enums import SUPERADMIN_PERMISSION
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import upgrade
from standalone.data_folder import DataFolder

ANN = "ann@example.org"


@pytest.fixture
def folder() -> Generator[DataFolder]:
    """The folder of a platform that has run; the server widens permissions of parent folders."""
    root = Path(tempfile.mkdtemp(prefix="mlplace-superadmin-"))
    made = DataFolder(root / "data")
    made.prepare(needed_mb=0)
    yield made
    shutil.rmtree(root, ignore_errors=True)


async def _register(server: EmbeddedPostgres) -> None:
    made = await server.service_database("accountsadmin")
    await upgrade(made.owner_url, accountsadmin.main.MIGRATIONS)
    await _rows(
        server,
        "INSERT INTO users (login, password_hash, permissions, internal, active, language, created_at, version)"
        f" VALUES ('{ANN}', 'x', '{{}}', false, true, 'EN', now(), 1)",
    )


async def _rows(server: EmbeddedPostgres, statement: str) -> list[tuple[object, ...]]:
    database = Database(server.url(role="accountsadmin", database="accountsadmin"), application_name="test")
    try:
        async with database.transaction() as session:
            found = await session.execute(sa.text(statement))
            return [tuple(row) for row in found] if isinstance(found, sa.CursorResult) and found.returns_rows else []
    finally:
        await database.close()


def _run(folder: DataFolder, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command as a separate process, like an operator."""
    command = [sys.executable, "-m", "standalone", "superadmin", "--data-dir", str(folder.root), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=100)


@pytest.mark.timeout(300)
class TestSuperadmin:
    def test_starts_the_server_during_the_command_if_the_platform_is_stopped(self, folder: DataFolder) -> None:
        server = EmbeddedPostgres(folder.postgres, durable=False)
        server.start_blocking()
        asyncio.run(_register(server))
        server.stop()
        for said in ("is a superadmin now", "is a superadmin already"):
            done = _run(folder, ANN)
            assert (done.returncode, said in done.stdout) == (0, True), done.stderr
        refused = _run(folder, ANN, "--take-away")
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "is the last superadmin" in refused.stderr
        assert refused.stderr.count("\n") == 1

    def test_uses_the_server_of_a_running_platform(self, folder: DataFolder) -> None:
        server = EmbeddedPostgres(folder.postgres, durable=False)
        server.start_blocking()
        try:
            asyncio.run(_register(server))
            with folder.locked():
                done = _run(folder, ANN)
            assert done.returncode == 0, done.stderr
            # The event waits in the outbox for the platform, which ships it.
            statement = "SELECT permissions, (SELECT count(*) FROM outbox WHERE topic LIKE '%user%') FROM users"
            assert asyncio.run(_rows(server, statement)) == [([SUPERADMIN_PERMISSION], 1)]
        finally:
            server.stop()

    def test_fails_before_the_first_run(self, folder: DataFolder) -> None:
        refused = _run(folder, ANN)
        assert refused.returncode == 1
        assert "start MLPlace there first" in refused.stderr
