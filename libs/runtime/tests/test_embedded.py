import asyncio
import os
import signal
import time
from pathlib import Path

import asyncpg
import psutil

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.waiting import DEADLINE, eventually


async def _answers(postgres: EmbeddedPostgres) -> bool:
    try:
        connection = await asyncpg.connect(postgres.admin_dsn(), timeout=60)
    except (OSError, asyncpg.PostgresError):
        return False
    try:
        return await connection.fetchval("SELECT 1") == 1
    finally:
        await connection.close()


class TestKeepRunning:
    async def test_a_killed_server_is_started_again(self, tmp_path):
        postgres = EmbeddedPostgres(tmp_path / "postgres", durable=False)
        async with postgres, running("test", [Loop("databases", postgres.keep_running)]):
            killed = postgres.pid
            assert killed is not None
            os.kill(killed, signal.SIGKILL)
            await eventually(lambda: _answers(postgres), until=lambda answers: answers and postgres.pid != killed)

    async def test_stop_succeeds_after_the_server_was_killed(self, tmp_path):
        async with EmbeddedPostgres(tmp_path / "postgres", durable=False) as postgres:
            killed = postgres.pid
            assert killed is not None
            os.kill(killed, signal.SIGKILL)
        assert not await asyncio.to_thread(_processes_of, tmp_path)


def _processes_of(folder: Path) -> list[int]:
    deadline = time.monotonic() + DEADLINE
    while True:
        seen = psutil.process_iter(["cmdline"])
        found = [process.pid for process in seen if str(folder) in " ".join(process.info["cmdline"] or ())]
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)
