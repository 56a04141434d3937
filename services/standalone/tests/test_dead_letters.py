"""The dead-letters command of the all-in-one shape, with and without the running platform."""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
import sqlalchemy as sa

import mlpbilling.main
from mlplace_contracts.events import AccountChanged
from mlplace_contracts.topics import ACCOUNTS
from mlplace_kit.clock import SystemClock
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.messaging import dead_letter
from mlplace_runtime.db.migrations import upgrade
from mlplace_runtime.db.outbox import outbox_row
from standalone.data_folder import DataFolder


@pytest.fixture
def folder() -> Generator[DataFolder]:
    """The folder of a platform that has run; the server widens permissions of parent folders."""
    root = Path(tempfile.mkdtemp(prefix="mlplace-letters-"))
    made = DataFolder(root / "data")
    made.prepare(needed_mb=0)
    yield made
    shutil.rmtree(root, ignore_errors=True)


async def _park(server: EmbeddedPostgres) -> str:
    """Park an event of mlpbilling that it can handle now. Returns the database's URL."""
    made = await server.service_database("mlpbilling")
    await upgrade(made.owner_url, mlpbilling.main.MIGRATIONS)
    event = AccountChanged(
        version=1,
        account_id=7,
        short_name="seven",
        display_name="",
        owner_user_id=1,
        email="seven@example.com",
        language="EN",
        active=True,
    )
    value = outbox_row(event, SystemClock())["value"]
    row = {"topic": ACCOUNTS.name, "key": event.key, "value": value, "reason": "KeyError('x')"}
    database = Database(made.service_url, application_name="test")
    async with database.transaction() as session:
        await session.execute(sa.insert(dead_letter).values(consumer="mlpbilling.directory", **row))
    await database.close()
    return made.service_url


async def _answers(url: str) -> bool:
    database = Database(url, application_name="test")
    try:
        return await database.answers()
    finally:
        await database.close()


def _run(folder: DataFolder, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command as a separate process, like an operator."""
    command = [sys.executable, "-m", "standalone", "dead-letters", "--service", "mlpbilling"]
    where = ["--data-dir", str(folder.root)]
    return subprocess.run([*command, *where, *arguments], check=False, capture_output=True, text=True, timeout=100)


@pytest.mark.timeout(300)
class TestDeadLetters:
    def test_starts_the_server_during_the_command_if_the_platform_is_stopped(self, folder: DataFolder) -> None:
        server = EmbeddedPostgres(folder.postgres, durable=False)
        server.start_blocking()
        url = asyncio.run(_park(server))
        server.stop()
        assert "KeyError('x')" in _run(folder, "list").stdout
        replayed = _run(folder, "replay", "--all")
        assert (replayed.returncode, replayed.stdout.splitlines()[-1]) == (0, "1 handled"), replayed.stderr
        assert not asyncio.run(_answers(url))

    def test_uses_the_server_of_a_running_platform(self, folder: DataFolder) -> None:
        server = EmbeddedPostgres(folder.postgres, durable=False)
        server.start_blocking()
        try:
            url = asyncio.run(_park(server))
            with folder.locked():
                replayed = _run(folder, "replay", "--topic", ACCOUNTS.name)
            assert (replayed.returncode, replayed.stdout.splitlines()[-1]) == (0, "1 handled"), replayed.stderr
            assert asyncio.run(_answers(url))
        finally:
            server.stop()

    def test_fails_before_the_first_run(self, folder: DataFolder) -> None:
        refused = _run(folder, "list")
        assert refused.returncode == 1
        assert "start MLPlace there first" in refused.stderr
