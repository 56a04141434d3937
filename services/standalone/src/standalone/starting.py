"""Starts the platform in the order that takes the least time.

Most of a start is spent on loading the services. So this module imports little: a thread loads the services while the
databases and the agent, which are separate processes, start.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.process import SERVICES
from mlplace_runtime.process.descriptors import raise_descriptor_limit
from mlplace_runtime.process.signals import stop_signal
from standalone.agent_process import AgentProcess
from standalone.data_folder import DataFolder
from standalone.demo.content import SERVICES as DEMO_SERVICES
from standalone.demo.content import DemoService
from standalone.ports import assert_port_free, listen
from standalone.settings import StandaloneSettings
from standalone.started_resources import StartedResources

Say = Callable[[str], None]


async def run_platform(
    settings: StandaloneSettings,
    folder: DataFolder,
    *,
    say: Say,
    demo_services: Sequence[DemoService] = DEMO_SERVICES,
) -> None:
    """Runs until SIGINT or SIGTERM, also during the start. Raises CannotStartError."""
    stop = stop_signal()
    raise_descriptor_limit()
    async with AsyncExitStack() as stack:
        starting = asyncio.create_task(_start(stack, settings, folder, say, demo_services))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([starting, stopped], return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            from mlplace_runtime.tasks import ended

            say("Stopping ...")
            await ended(starting)
            return
        starting.result()
        await stopped
        say("Stopping ...")


async def _start(
    stack: AsyncExitStack,
    settings: StandaloneSettings,
    folder: DataFolder,
    say: Say,
    demo_services: Sequence[DemoService],
) -> None:
    if settings.is_open:
        _refuse_placeholders(settings, folder)
    listener = listen(settings.host, settings.port, option="port")
    stack.callback(listener.close)
    assert_port_free(settings.host, settings.gate_port, option="grpc-port")
    agent = AgentProcess(folder.agent, log_megabytes=settings.log_megabytes, log_files=settings.log_files)
    await agent.end_leftover()
    say("Starting the databases ...")
    loading = asyncio.create_task(asyncio.to_thread(_load))
    postgres = await stack.enter_async_context(
        EmbeddedPostgres(folder.postgres, log_megabytes=settings.log_megabytes, log_files=settings.log_files, say=say)
    )
    databases = {name: await postgres.service_database(name) for name in SERVICES}
    running_agent = await stack.enter_async_context(AsyncExitStack())
    started = StartedResources(
        settings, folder, listener, postgres, databases, agent, running_agent, demo_services=demo_services
    )
    if settings.demo and started.hosting_server.enrolled:
        # It needs nothing of the services to start: its first request waits at the listener for them.
        started.hosting_server.configure()
        await started.start_agent(running_agent)
    open_platform = await loading
    gc.freeze()  # what was loaded stays: a search of its 300 000 objects takes a third of a second and finds nothing
    gc.enable()
    await open_platform(stack, started, say=say)


def _load() -> Callable[..., Awaitable[None]]:
    """Import the services, in a thread: signals are handled meanwhile."""
    from standalone.platform import open_platform

    return open_platform


def _refuse_placeholders(settings: StandaloneSettings, folder: DataFolder) -> None:
    from mlplace_kit.settings import refuse_placeholders
    from mlplace_runtime.mail import MailSettings
    from standalone.wiring import service_settings

    own = service_settings(settings, folder, dict.fromkeys(SERVICES, ""))
    refuse_placeholders(own.accountsadmin, own.mlpcore, own.mlpbilling, own.mlpgateway, MailSettings())
