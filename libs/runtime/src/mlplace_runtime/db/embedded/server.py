"""Creates, starts, watches and stops the embedded server.

It listens on a socket in a folder that only its user may enter, with peer authentication. If the process that started
it dies abruptly, the server keeps running; the next start on the same folder stops it first.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import asyncpg
import structlog

from mlplace_runtime.db.embedded.cluster import SOCKETS, SUPERUSER, Cluster
from mlplace_runtime.db.embedded.errors import PathTooLongError
from mlplace_runtime.db.embedded.identity import server_user
from mlplace_runtime.db.embedded.leftover import end_leftover, note_server
from mlplace_runtime.db.embedded.output import ServerOutput
from mlplace_runtime.db.embedded.programs import ProgramLauncher
from mlplace_runtime.db.embedded.waiting import wait_until_ready
from mlplace_runtime.db.provision import ServiceDatabase, provision

log = structlog.get_logger(__name__)

_LOOK_SECONDS = 0.5
_STOP_SECONDS = 60.0
_HARD_STOP_SECONDS = 20.0
_PORT = 5432
_LONGEST_SOCKET = 107 if sys.platform == "linux" else 103
_SETTINGS = {
    "listen_addresses": "",
    "port": str(_PORT),
    "unix_socket_directories": SOCKETS,  # relative to the data directory, so that no path is too long
    "unix_socket_permissions": "0700",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_startup_progress_interval": "1s",
}
_UNSAFE_BUT_FAST = {
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "400",
}  # fmt: skip


class EmbeddedPostgres:
    """`folder` is the server's data directory. The log is beside it in `folder`.log: `log_files` files of up to
    `log_megabytes`. `say` gets messages for a person who waits for the start.

    `durable=False` trades crash safety for speed: for tests only.
    """

    def __init__(
        self,
        folder: Path,
        *,
        durable: bool = True,
        log_megabytes: float = 10.0,
        log_files: int = 3,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._folder = folder.resolve()
        self._durable = durable
        self._say = say
        self._output = ServerOutput(
            self._folder.with_name(f"{self._folder.name}.log"), megabytes=log_megabytes, files=log_files
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._interrupted = threading.Event()
        self._starting_or_stopping = threading.Lock()
        self._way: int | None = None  # descriptor of the socket folder, if its path is too long

    async def __aenter__(self) -> Self:
        starting = asyncio.get_running_loop().run_in_executor(None, self.start_blocking)
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._interrupted.set()
            await asyncio.gather(starting, return_exceptions=True)
            await asyncio.to_thread(self.stop)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)

    def start_blocking(self) -> None:
        """Raises EmbeddedServerError."""
        with self._starting_or_stopping:
            self._start()

    def attach(self) -> None:
        """Uses the server that another process runs on this folder, without stopping it later."""
        self._open_way()

    def stop(self) -> None:
        """Shuts down fast: open transactions are rolled back, everything committed is on disk."""
        with self._starting_or_stopping:
            process, self._process = self._process, None
            if process:
                _end(process)
            if self._way is not None:
                os.close(self._way)
                self._way = None

    async def keep_running(self) -> None:
        """Runs until cancelled: restarts a server whose main process was killed, on the same socket."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            process = self._running
            if process.poll() is not None:
                log.error("database_server_ended", pid=process.pid, exit_code=process.returncode)
                await asyncio.to_thread(self._start_again)

    def _start_again(self) -> None:
        """Raises while processes of the killed server still hold its memory; the caller retries."""
        with self._starting_or_stopping:
            if self._process:
                self._start()

    def _start(self) -> None:
        user = server_user()
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        end_leftover(self._folder, self._interrupted)
        cluster = Cluster(self._folder, user)
        cluster.ensure(durable=self._durable, output=self._output, interrupted=self._interrupted)
        self._open_way()
        settings = _SETTINGS if self._durable else {**_SETTINGS, **_UNSAFE_BUT_FAST}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        launch = ProgramLauncher(user, self._folder)
        process = launch.start(["postgres", "-D", str(self._folder), *options], die_with_parent=False)
        try:
            note_server(self._folder, process.pid, user)
            wait_until_ready(process, launch, self._output, interrupted=self._interrupted, say=self._say)
        except BaseException:
            _end(process)
            raise
        self._process = process

    def _open_way(self) -> None:
        """Opens the socket folder if its path is too long for a socket; `/proc/self/fd` then gives a short path."""
        if self._way is not None:
            return
        path = str(self._folder / SOCKETS)
        if "," not in path and len(os.fsencode(path)) + len(f"/.s.PGSQL.{_PORT}") <= _LONGEST_SOCKET:
            return
        if sys.platform != "linux":
            raise PathTooLongError(self._folder, _LONGEST_SOCKET - len(f"/{SOCKETS}/.s.PGSQL.{_PORT}"))
        self._way = os.open(path, os.O_PATH | os.O_DIRECTORY)

    @property
    def pid(self) -> int | None:
        return self._running.pid

    def admin_dsn(self, database: str = "postgres") -> str:
        """Returns the superuser's DSN for asyncpg."""
        return f"postgresql://{SUPERUSER}@/{database}?{self._where}"

    def url(self, *, role: str, database: str) -> str:
        """Returns a URL for SQLAlchemy."""
        return f"postgresql+asyncpg://{role}@/{database}?{self._where}"

    @property
    def _where(self) -> str:
        """Host and port. The port is explicit, because the environment may set another default."""
        folder = f"/proc/self/fd/{self._way}" if self._way is not None else str(self._folder / SOCKETS)
        return f"host={quote(folder, safe='')}&port={_PORT}"

    async def service_database(self, service: str, database: str | None = None) -> ServiceDatabase:
        """Returns the database of a service; creates it and its two roles if missing."""
        name = database or service
        await provision(self.admin_dsn(), service=service, database=name)
        return ServiceDatabase(
            owner_url=self.url(role=f"{service}_owner", database=name),
            service_url=self.url(role=service, database=name),
        )

    async def clone(self, template: str, database: str) -> None:
        """Copies a database that has no connections."""
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
    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            raise RuntimeError("the embedded PostgreSQL is not running")
        return self._process


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Stops a child process. Its id cannot have been reused, because it has not been waited for yet."""
    for number, seconds in ((signal.SIGINT, _STOP_SECONDS), (signal.SIGQUIT, _HARD_STOP_SECONDS)):
        if process.poll() is not None:
            return
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return
    process.kill()
    process.wait()
