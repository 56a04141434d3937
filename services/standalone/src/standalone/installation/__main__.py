"""`python -m standalone.installation prepare | demo | demo-running`."""

import argparse
import asyncio
import sys

from pydantic import ValidationError

from mlplace_runtime.db.errors import NewerSchemaError
from mlplace_runtime.process.problems import describe
from mlplace_runtime.process.settings import ProcessSettings
from mlplace_runtime.telemetry.logs import configure_logs
from standalone.installation.settings import DemoSettings, PrepareSettings
from standalone.problems import CannotStartError


def main() -> int:
    parser = argparse.ArgumentParser(prog="standalone.installation")
    verbs = parser.add_subparsers(required=True)
    verbs.add_parser("prepare", help="databases, roles, migrations, topics, bucket").set_defaults(run=_prepare)
    verbs.add_parser("demo", help="demo accounts and services, and their hosting server").set_defaults(run=_demo)
    verbs.add_parser("demo-running", help="wait until the demo's services are connected").set_defaults(run=_running)
    run = parser.parse_args().run
    try:
        asyncio.run(run())
    except (ValidationError, NewerSchemaError, CannotStartError, ConnectionError) as problem:
        print(describe(problem), file=sys.stderr)  # noqa: T201  the answer to whoever started it
        return 1
    return 0


async def _prepare() -> None:
    from standalone.installation.prepare import prepare

    settings = PrepareSettings()  # pyright: ignore[reportCallIssue]  # the environment has the values
    configure_logs(level=settings.log_level)
    await prepare(settings, _process())


async def _demo() -> None:
    from standalone.installation.demo import make_demo

    settings = DemoSettings()
    configure_logs(level=settings.log_level)
    await make_demo(settings, _process())


async def _running() -> None:
    from standalone.installation.demo import wait_for_demo

    await wait_for_demo(DemoSettings(), _process(), say=print)


def _process() -> ProcessSettings:
    return ProcessSettings()  # pyright: ignore[reportCallIssue]  # the environment has the values


if __name__ == "__main__":
    sys.exit(main())
