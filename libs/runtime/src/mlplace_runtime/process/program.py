"""`python -m <service> serve | migrate`."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import structlog
import uvloop
from pydantic import ValidationError
from starlette.types import ASGIApp

from mlplace_runtime.db.migrations import NewerSchemaError, upgrade
from mlplace_runtime.db.waiting import wait_for_database
from mlplace_runtime.process.adapters import open_shared
from mlplace_runtime.process.http_server import HttpServer, listen
from mlplace_runtime.process.settings import ProcessSettings
from mlplace_runtime.service import Shared
from mlplace_runtime.telemetry.logs import configure_logs
from mlplace_runtime.telemetry.traces import configure_traces

log = structlog.get_logger(__name__)

_DATABASE_SECONDS = 60.0


class OwnSettings(Protocol):
    @property
    def owner_database_url(self) -> str: ...


_Settings = TypeVar("_Settings", bound=OwnSettings)


@dataclass(frozen=True, slots=True)
class Program(Generic[_Settings]):
    """`settings` reads the service's own settings from the environment; `open_service` takes them and runs it."""

    name: str
    settings: Callable[[], _Settings]
    open_service: Callable[[_Settings, Shared], AbstractAsyncContextManager[ASGIApp]]
    migrations: Path

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """The exit code: 0 after a normal stop, 1 with the reason on standard error when it could not start."""
        parser = argparse.ArgumentParser(prog=self.name)
        verbs = parser.add_subparsers(required=True)
        verbs.add_parser("serve", help="answer requests until SIGTERM").set_defaults(run=self._serve)
        verbs.add_parser("migrate", help="bring the database to this version").set_defaults(run=self._migrate)
        run = parser.parse_args(arguments).run
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(run())
        except (ValidationError, NewerSchemaError, ConnectionError) as problem:
            print(describe(problem), file=sys.stderr)  # noqa: T201  the answer to whoever started it
            return 1
        return 0

    async def _serve(self) -> None:
        common, own = ProcessSettings(), self.settings()  # pyright: ignore[reportCallIssue]  # from the environment
        configure_logs(level=common.log_level)
        configure_traces(service=self.name, endpoint=common.otlp_endpoint, sample_ratio=common.trace_sample_ratio)
        stop = stop_signal()
        async with AsyncExitStack() as stack:
            listener = listen(common.host, common.port)
            stack.callback(listener.close)
            shared = await stack.enter_async_context(open_shared(common, client_id=self.name))
            app = await stack.enter_async_context(self.open_service(own, shared))
            server = HttpServer(app, listener, trusted_proxies=common.trusted_proxies)
            await server.start()
            stack.push_async_callback(server.stop)
            log.info("serving", service=self.name, port=listener.getsockname()[1])
            await stop.wait()
            log.info("stopping", service=self.name)

    async def _migrate(self) -> None:
        configure_logs()
        url = self.settings().owner_database_url
        await wait_for_database(url, seconds=_DATABASE_SECONDS)
        await upgrade(url, self.migrations)
        log.info("migrated", service=self.name)


def stop_signal() -> asyncio.Event:
    """Set by SIGINT and SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


def describe(problem: Exception) -> str:
    """Without the values: they may be secrets."""
    if not isinstance(problem, ValidationError):
        return str(problem)
    faults = (f"{'.'.join(map(str, e['loc'])) or 'settings'}: {e['msg']}" for e in problem.errors(include_input=False))
    return "The settings cannot be used: " + "; ".join(faults)
