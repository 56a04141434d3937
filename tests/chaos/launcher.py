"""The all-in-one platform whose demo consists of given services, none of which runs from the start.

`python -m tests.chaos.launcher PORT GRPC_PORT DATA_FOLDER`.
"""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import uvloop

from mlplace_runtime.telemetry.logs import configure_logs
from standalone.cli import tell
from standalone.data_folder import DataFolder
from standalone.demo.content import SERVICES, DemoService
from standalone.settings import StandaloneSettings
from standalone.starting import run_platform

_COPY: Final = "second-counter"
IN_OWN_GROUP: Final = ("greeting", _COPY)
"""The services that run on a server of their owner; the other one runs on the platform's."""


def demo_services() -> tuple[DemoService, ...]:
    """A service that connects to gates, and two that gates call over HTTP: those whose programs start fastest."""
    of = {service.name: service for service in SERVICES}
    greeting, counter = of["greeting"], of["text-counter"]
    chosen = (greeting, counter, replace(counter, name=_COPY))
    return tuple(replace(service, running=False, sample="") for service in chosen)


def main(port: int, grpc_port: int, data: Path) -> None:
    settings = StandaloneSettings(port=port, grpc_port=grpc_port, data_dir=data)
    folder = DataFolder(data)
    folder.prepare()
    with folder.locked(), folder.log.open("a") as log:
        folder.tidy()
        folder.prepare()
        configure_logs(level=settings.log_level, stream=log)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run_platform(settings, folder, say=tell, demo_services=demo_services()))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
