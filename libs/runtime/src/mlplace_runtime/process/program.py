"""The command line of a service: `python -m <service> serve | migrate`, and the commands that the service adds."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, Protocol, TypeVar, runtime_checkable

import structlog
import uvloop
from pydantic import ValidationError
from starlette.types import ASGIApp

from mlplace_kit.settings import PlaceholderError, Settings, is_loopback, refuse_placeholders
from mlplace_runtime.db.database import open_database
from mlplace_runtime.db.errors import NewerSchemaError
from mlplace_runtime.db.migrations import upgrade
from mlplace_runtime.db.waiting import wait_for_database
from mlplace_runtime.process.adapters import open_shared
from mlplace_runtime.process.commands import Command, Opened
from mlplace_runtime.process.descriptors import raise_descriptor_limit
from mlplace_runtime.process.garbage import settle
from mlplace_runtime.process.http.binding import bind
from mlplace_runtime.process.http.direct import AnswersDirectly
from mlplace_runtime.process.http.server import HttpServer, ShutdownTimes
from mlplace_runtime.process.problems import CommandRefusedError, describe
from mlplace_runtime.process.settings import ProcessSettings
from mlplace_runtime.process.signals import stop_signal
from mlplace_runtime.service import Shared
from mlplace_runtime.tasks import Loop, running
from mlplace_runtime.telemetry.logs import configure_logs
from mlplace_runtime.telemetry.traces import configure_traces

log = structlog.get_logger(__name__)

_DATABASE_SECONDS = 60.0
_OPERATOR_SECONDS = 5.0
_THREADS = "32"
"""Size of libuv's pool for name look-ups. Of 4 threads, look-ups of lost brokers would block all for seconds."""


class OwnSettings(Protocol):
    @property
    def database_url(self) -> str: ...

    @property
    def owner_database_url(self) -> str: ...


@runtime_checkable
class Retiring(Protocol):
    """An app that is told of the shutdown while it is still served."""

    async def retire(self) -> ShutdownTimes:
        """Returns when the HTTP server may refuse new connections."""
        ...


_Settings = TypeVar("_Settings", bound=OwnSettings)


@dataclass(frozen=True, slots=True)
class Program(Generic[_Settings]):
    """`settings` reads the service's own settings from the environment; `open_service` runs the service with them."""

    name: str
    settings: type[_Settings]
    open_service: Callable[[_Settings, Shared], AbstractAsyncContextManager[ASGIApp]]
    migrations: Path
    commands: Sequence[Command[_Settings]] = ()

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Returns the exit code: 0 on success, 1 with the reason on standard error if it could not start.

        A command has its own exit codes; it ends with 1 and the reason if it is refused.
        """
        parser = argparse.ArgumentParser(prog=self.name)
        verbs = parser.add_subparsers(required=True)
        verbs.add_parser("serve", help="answer requests until SIGTERM").set_defaults(run=self._serve)
        migrate = verbs.add_parser("migrate", help="bring the database to this version")
        migrate.set_defaults(run=self._migrate)
        for command in self.commands:
            verb = verbs.add_parser(command.name, help=command.help)
            verb.set_defaults(run=partial(self._run_command, command))
            command.add_options(verb)
        options = parser.parse_args(arguments)
        os.environ.setdefault("UV_THREADPOOL_SIZE", _THREADS)
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                return runner.run(options.run(options)) or 0
        except (ValidationError, NewerSchemaError, ConnectionError, PlaceholderError, CommandRefusedError) as problem:
            print(describe(problem), file=sys.stderr)  # noqa: T201  the answer to whoever started it
            return 1

    async def _serve(self, _: argparse.Namespace) -> None:
        common, own = ProcessSettings(), self.settings()  # pyright: ignore[reportCallIssue]  # from the environment
        if not is_loopback(common.host):
            refuse_placeholders(*(each for each in (common, own) if isinstance(each, Settings)))
        configure_logs(level=common.log_level)
        configure_traces(service=self.name, endpoint=common.otlp_endpoint, sample_ratio=common.trace_sample_ratio)
        stop = stop_signal()
        raise_descriptor_limit()
        async with AsyncExitStack() as stack:
            listener = bind(common.host, common.port)
            stack.callback(listener.close)
            shared = await stack.enter_async_context(open_shared(common, client_id=self.name))
            await stack.enter_async_context(running(self.name, [Loop("disk", shared.space.run)]))
            app = await stack.enter_async_context(self.open_service(own, shared))
            server = HttpServer(
                app,
                listener,
                trusted_proxies=common.trusted_proxies,
                limits=common.http_limits,
                direct=app.direct if isinstance(app, AnswersDirectly) else None,
            )
            await server.start()
            settle()
            log.info("service_started", service=self.name, port=listener.getsockname()[1])
            try:
                await stop.wait()
                log.info("service_stopping", service=self.name)
            finally:
                await server.stop(await app.retire() if isinstance(app, Retiring) else None)

    async def _migrate(self, _: argparse.Namespace) -> None:
        configure_logs()
        url = self.settings().owner_database_url
        await wait_for_database(url, seconds=_DATABASE_SECONDS)
        await upgrade(url, self.migrations)
        log.info("database_migrated", service=self.name)

    async def _run_command(self, command: Command[_Settings], options: argparse.Namespace) -> int:
        configure_logs(level="WARNING")
        common, own = ProcessSettings(), self.settings()  # pyright: ignore[reportCallIssue]  # from the environment
        await wait_for_database(own.database_url, seconds=_OPERATOR_SECONDS)
        name = f"{self.name}.{command.name}"
        async with (
            open_database(own.database_url, application_name=name) as database,
            open_shared(common, client_id=name) as shared,
        ):
            return await command.run(Opened(own, shared, database), options, _say)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  the answer to whoever asked
