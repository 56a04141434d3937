"""The commands `python -m standalone run | reset | dead-letters | superadmin | openapi`; `mlplace` has the first four.

Imports little: `run` loads the services while the databases start, and the other commands what they need.
"""

import argparse
import asyncio
import contextlib
import errno
import gc
import os
import sys
from argparse import SUPPRESS
from collections.abc import Sequence
from pathlib import Path

import uvloop
from pydantic import ValidationError

from mlplace_kit.settings import PlaceholderError
from mlplace_runtime.db.embedded import EmbeddedServerError
from mlplace_runtime.db.embedded.leftover import end_leftover
from mlplace_runtime.db.errors import NewerSchemaError
from mlplace_runtime.process import SERVICES
from mlplace_runtime.process.dead_letter_options import add_dead_letter_verbs
from mlplace_runtime.process.problems import CommandRefusedError, describe
from mlplace_runtime.process.superadmin_options import add_superadmin_options
from mlplace_runtime.telemetry.log_files import LogFile
from mlplace_runtime.telemetry.logs import configure_logs
from standalone.agent_process import AgentProcess
from standalone.data_folder import DataFolder
from standalone.distribution import DISTRIBUTION
from standalone.problems import CannotStartError
from standalone.settings import StandaloneSettings
from standalone.starting import run_platform

_REFUSALS = (
    CannotStartError, CommandRefusedError, EmbeddedServerError, NewerSchemaError, PlaceholderError, ValidationError,
)  # fmt: skip
_LAST_PORT = 65_525  # the gate uses this port + 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 after a normal stop; 1 with one sentence on standard error if the platform could not start."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except _REFUSALS as problem:
        return _say(describe(problem))
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        if error.errno == errno.ENOSPC:
            return _say("The disk is full; free some space on the disk of the data folder and start again.")
        raise


def tell(line: str) -> None:
    """Print, and go on if nobody reads standard output any more."""
    with contextlib.suppress(OSError):
        print(line, flush=True)


def _say(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=DISTRIBUTION.program,
        description="MLPlace in one process",
        epilog="Of the SDK: `mlplace serve --help`, `mlplace descriptor --help`." if DISTRIBUTION.is_wheel else None,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="start the platform")
    # Absent options do not override the environment or the defaults.
    run.add_argument("--port", type=_port, default=SUPPRESS, help="port of the web interface and the API (8080)")
    run.add_argument("--grpc-port", type=_port, default=SUPPRESS, help="default: ten above the port")
    run.add_argument(
        "--host",
        default=SUPPRESS,
        help="address to listen on; one other than 127.0.0.1 opens the platform to the network",
    )
    _add_data_dir(run)
    run.add_argument(
        "--no-demo", dest="demo", action="store_false", default=SUPPRESS, help="start empty, without demo accounts"
    )
    run.set_defaults(command=_run)
    reset = commands.add_parser("reset", help="delete all data")
    _add_data_dir(reset)
    reset.set_defaults(command=_reset)
    letters = commands.add_parser("dead-letters", help="list or replay events that could not be handled")
    letters.add_argument("--service", choices=SERVICES, required=True)
    _add_data_dir(letters)
    letters.set_defaults(command=_dead_letters)
    add_dead_letter_verbs(letters)
    superadmin = commands.add_parser("superadmin", help="make a user a superadmin, or withdraw the permission")
    _add_data_dir(superadmin)
    superadmin.set_defaults(command=_superadmin)
    add_superadmin_options(superadmin)
    if not DISTRIBUTION.is_wheel:
        openapi = commands.add_parser("openapi", help="write the OpenAPI documents, the errors and the settings")
        openapi.add_argument("--root", type=Path, default=Path())
        openapi.set_defaults(command=_openapi)
    return parser


def _add_data_dir(parser: argparse.ArgumentParser) -> None:
    default = str(DISTRIBUTION.data_dir() or "none").replace("%", "%%")
    parser.add_argument("--data-dir", type=Path, default=SUPPRESS, help=f"folder for all data; default: {default}")


def _port(text: str) -> int:
    """Argparse shows the text of this error unchanged."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is not a port; choose one from 1 to {_LAST_PORT}")
    return number


def _settings(options: argparse.Namespace) -> StandaloneSettings:
    given = {name: value for name, value in vars(options).items() if name in StandaloneSettings.model_fields}
    return StandaloneSettings(**given)


def _run(options: argparse.Namespace) -> int:
    settings = _settings(options)
    gc.disable()  # until the services are loaded, of which nothing is garbage: searching it took a quarter of the time
    os.umask(0o077)  # other users must not read queued events, objects and logs
    folder = DataFolder(settings.data_dir)
    folder.prepare()
    with folder.locked():
        folder.tidy()
        folder.prepare()
        log = LogFile(folder.log, megabytes=settings.log_megabytes, files=settings.log_files)
        configure_logs(level=settings.log_level, handler=log)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run_platform(settings, folder, say=tell))
    return 0


def _reset(options: argparse.Namespace) -> int:
    folder = DataFolder(_settings(options).data_dir)
    if not folder.root.exists():
        print(f"There is no data in {folder.root}.")
        return 0
    folder.assert_ours()
    with folder.locked():
        asyncio.run(AgentProcess(folder.agent).end_leftover())
        end_leftover(folder.postgres)
        folder.remove()
    print(f"All data in {folder.root} is deleted.")
    return 0


def _dead_letters(options: argparse.Namespace) -> int:
    from standalone.dead_letters import run_dead_letters

    configure_logs(level="WARNING")
    settings = _settings(options)
    folder = DataFolder(settings.data_dir)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run_dead_letters(settings, folder, options, say=tell))


def _superadmin(options: argparse.Namespace) -> int:
    from standalone.superadmin import run_on_folder

    configure_logs(level="WARNING")
    settings = _settings(options)
    folder = DataFolder(settings.data_dir)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run_on_folder(settings, folder, options, say=tell))


def _openapi(options: argparse.Namespace) -> int:
    from standalone.documents import write_documents

    for path in write_documents(options.root):
        print(path)
    return 0
