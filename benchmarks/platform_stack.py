"""Runs the four services as separate processes with a real PostgreSQL."""

import asyncio
import contextlib
import importlib
import secrets
import subprocess
import time
from collections.abc import AsyncGenerator, Coroutine, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import httpx

from benchmarks.machine import Cores, on, pin
from benchmarks.processes import module, running, wait_for_port
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import upgrade_all
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.process import SERVICES
from mlplace_testing.ports import free_port

_READY_SECONDS = 60.0
_MIGRATIONS = {name: Path(importlib.import_module(name).__path__[0]) / "migrations" for name in SERVICES}
_Result = TypeVar("_Result")


def wait(work: Coroutine[object, object, _Result]) -> _Result:
    return asyncio.run(work)


@dataclass(frozen=True, slots=True)
class Running:
    process: "subprocess.Popen[bytes]"
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Stack:
    """mlpbilling has a separate bus: the gateway's usage stays on its own bus, so no figure includes another's work.

    PostgreSQL runs with its safe defaults, as for users.
    """

    def __init__(self, folder: Path, cores: Cores) -> None:
        self.folder = folder
        self.cores = cores
        self.postgres = EmbeddedPostgres(folder / "postgres")
        self.services: dict[str, Running] = {}
        self.gate_port = free_port()
        self.token = secrets.token_hex(32)
        self.hash_secret = secrets.token_hex(32)
        self._databases: dict[str, ServiceDatabase] = {}
        self._common: dict[str, str] = {}
        self._exit = ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.push(self._exit)
            with on(self.cores.others):
                self.postgres.start_blocking()
            self._exit.callback(self.postgres.stop)
            self._databases = wait(self._made_databases())
            ports = {name: free_port() for name in SERVICES}
            self._common = self._environment(ports)
            for name in SERVICES:
                self.services[name] = self._exit.enter_context(self._start(name, ports[name]))
            for running_service in self.services.values():
                _wait_until_ready(running_service)
            undo.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit.close()

    def bus(self, service: str) -> Path:
        return self.folder / ("billing.sqlite3" if service == "mlpbilling" else "bus.sqlite3")

    @contextmanager
    def measuring(self, name: str) -> Generator[Running]:
        """Pin the service alone to the measured core."""
        service = self.services[name]
        pin(service.process.pid, self.cores.measured)
        try:
            yield service
        finally:
            pin(service.process.pid, self.cores.others)

    @contextmanager
    def another_gate(self, **env: object) -> Generator[tuple[Running, int]]:
        """A second process of mlpgateway, and its gRPC port. It has its own folder, as on another host."""
        folder, port, grpc_port = self.folder / "second", free_port(), free_port()
        folder.mkdir(exist_ok=True)
        own = {"MLP_DATA_DIR": str(folder), "MLP_MLPGATEWAY_GRPC_PORT": str(grpc_port)}
        own |= {name: str(value) for name, value in env.items()}
        with self._start("mlpgateway", port, own) as gate:
            _wait_until_ready(gate)
            yield gate, grpc_port

    def start(self, command: list[str], **env: str) -> "subprocess.Popen[bytes]":
        """Start a helper process on the cores of the load; it ends with the stack."""
        return self._exit.enter_context(self.helping(command, **env))

    @contextmanager
    def helping(self, command: list[str], **env: str) -> Generator["subprocess.Popen[bytes]"]:
        """The same, but it ends with the block."""
        with running(command, cores=self.cores.others, log=self.folder / "instance.log", env=env) as process:
            yield process

    @contextlib.asynccontextmanager
    async def internal(self) -> AsyncGenerator[InternalClient]:
        async with contextlib.AsyncExitStack() as stack:
            clients = {
                name: await stack.enter_async_context(httpx.AsyncClient(base_url=service.url))
                for name, service in self.services.items()
            }
            yield InternalClient(clients, self.token)

    async def _made_databases(self) -> dict[str, ServiceDatabase]:
        found = {name: await self.postgres.service_database(name) for name in SERVICES}
        await upgrade_all([(found[name].owner_url, _MIGRATIONS[name]) for name in SERVICES])
        return found

    def _environment(self, ports: dict[str, int]) -> dict[str, str]:
        return {
            "MLP_INTERNAL_TOKEN": self.token,
            "MLP_HASH_SECRET": self.hash_secret,
            "MLP_ENVELOPE_KEY": self.hash_secret,
            "MLP_HOST": "127.0.0.1",
            "MLP_SECURE_COOKIES": "false",
            "MLP_LOG_LEVEL": "WARNING",
            "MLP_DATA_DIR": str(self.folder),
            "MLP_MLPGATEWAY_GRPC_PORT": str(self.gate_port),
            "MLP_MLPGATEWAY_INSTANCE_NETWORKS": "127.0.0.0/8",
            # All instances belong to one account.
            "MLP_MLPGATEWAY_ACCOUNT_INSTANCE_STREAMS": "100000",
            "MLP_MLPGATEWAY_ACCOUNT_CONNECTS_PER_MINUTE": "1000000",
            "MLP_MLPGATEWAY_USAGE_SPOOL_DIR": str(self.folder / "usage-spool"),
            **{f"MLP_{name.upper()}_URL": f"http://127.0.0.1:{port}" for name, port in ports.items()},
        }

    @contextmanager
    def _start(self, name: str, port: int, own: Mapping[str, str] | None = None) -> Generator[Running]:
        env = {
            **self._common,
            "MLP_PORT": str(port),
            "MLP_BUS": str(self.bus(name)),
            f"MLP_{name.upper()}_DATABASE_URL": self._databases[name].service_url,
            **(own or {}),
        }
        log = self.folder / f"{name}.log"
        with running(module(name, "serve"), cores=self.cores.others, log=log, env=env) as process:
            wait_for_port(port, process, log)
            yield Running(process, port)


def _wait_until_ready(service: Running) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while (answer := httpx.get(f"{service.url}/health/ready", timeout=_READY_SECONDS)).status_code != httpx.codes.OK:
        if time.monotonic() > deadline:
            raise TimeoutError(answer.text)
        time.sleep(0.05)
