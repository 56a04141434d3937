"""Counts the resources of a platform process, from outside where possible."""

import asyncio
import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import asyncpg
import psutil

from mlplace_runtime.db.embedded.cluster import SOCKETS

_ANSWERS_WITHIN_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Census:
    """`connections` are the process's open TCP connections, `sessions` those of the four services at PostgreSQL."""

    tasks: int
    files: int
    threads: int
    connections: int
    sessions: int
    forgotten_transactions: int
    names: tuple[str, ...] = ()


class Enumerator:
    def __init__(self, pid: int, data: Path, counts: Path) -> None:
        self._process = psutil.Process(pid)
        self._sockets = data / "postgres" / SOCKETS
        self._counts = counts

    def rss_kib(self) -> int:
        return self._process.memory_info().rss // 1024

    async def census(self) -> Census:
        self._counts.unlink(missing_ok=True)
        os.kill(self._process.pid, signal.SIGUSR1)
        async with asyncio.timeout(_ANSWERS_WITHIN_SECONDS):
            while not self._counts.exists():  # noqa: ASYNC110  polls another process
                await asyncio.sleep(0.02)
        inside = json.loads(self._counts.read_text())
        sessions, forgotten = await self._sessions()
        return Census(
            tasks=inside["tasks"],
            files=self._process.num_fds(),
            threads=inside["threads"],
            connections=sum(c.status == psutil.CONN_ESTABLISHED for c in self._process.net_connections("tcp")),
            sessions=sessions,
            forgotten_transactions=forgotten,
            names=tuple(inside["names"]),
        )

    async def _sessions(self) -> tuple[int, int]:
        dsn = f"postgresql://postgres@/postgres?host={quote(str(self._sockets), safe='')}&port=5432"
        connection = await asyncpg.connect(dsn)
        try:
            row = await connection.fetchrow(
                "SELECT count(*) AS all, count(*) FILTER (WHERE state LIKE 'idle in transaction%' "
                "AND state_change < now() - interval '5 seconds') AS forgotten FROM pg_stat_activity "
                "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
        finally:
            await connection.close()
        return (int(row["all"]), int(row["forgotten"])) if row else (0, 0)
