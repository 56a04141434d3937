"""Sets up the agent from its configuration, runs it and shuts it down."""

import asyncio
import contextlib
import ctypes
import logging
import os
import signal
import sys
from typing import TextIO, cast

import structlog

from mlplace_agent.agent import Agent
from mlplace_agent.config import AgentConfig, ConfigurationError
from mlplace_agent.forwards import forwarding
from mlplace_agent.gpus.inventory import GpuInventory
from mlplace_agent.identity import (
    Credentials,
    StateFolder,
    agent_id,
    forget_credentials,
    load_credentials,
    store_credentials,
)
from mlplace_agent.log_file import LogPlace, RotatedOutput
from mlplace_agent.meter import ServerMeter
from mlplace_agent.platform import NotWelcomeError, Platform, PlatformAwayError, connect
from mlplace_agent.runtimes.choice import ChosenRuntime
from mlplace_agent.samples import Sampler
from mlplace_kit.clock import SystemClock

log = structlog.get_logger(__name__)

_ENROL_PAUSE_SECONDS = 0.5
_LONGEST_ENROL_PAUSE_SECONDS = 10.0
_ORPHANED_GRACE_SECONDS = 1.0
_SWEEP_SECONDS = 30.0
_PR_SET_PDEATHSIG = 1


def run(config: AgentConfig, *, parent: int | None) -> None:
    """Runs until SIGTERM or SIGINT, or until the process `parent`, which started this one, dies.

    Raises ConfigurationError, NotWelcomeError.
    """
    _configure_logs(config)
    if parent is not None:
        _ask_for_signal_at_parents_death()
        if os.getppid() != parent:  # it died before the signal was requested
            log.warning("parent_died", pid=parent)
            return
    with StateFolder(config.state_dir, timeout_seconds=config.shutdown_grace_seconds + 5) as folder:
        asyncio.run(_serve(config, parent, agent_id(folder)))


async def _serve(config: AgentConfig, parent: int | None, own_id: str) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    platform = connect(config)
    try:
        async with forwarding(config.forwards):
            await _until_stopped(config, platform, stopping, parent, own_id)
    finally:
        await platform.close()


async def _until_stopped(
    config: AgentConfig, platform: Platform, stopping: asyncio.Event, parent: int | None, own_id: str
) -> None:
    enrolling = asyncio.create_task(_credentials(config, platform))
    if not await _first(enrolling, stopping):
        return
    credentials = enrolling.result()
    gpus = GpuInventory(config.state_dir / "gpus.json")
    runtime = ChosenRuntime(config, agent_id=own_id, server_id=credentials.server_id, gpus=gpus)
    removed = await runtime.remove_leftovers()
    if removed:
        log.info("leftovers_killed", count=removed)
    disk_path = str(config.disk_path or config.state_dir)
    agent = Agent(
        platform=platform,
        credentials=credentials,
        runtime=runtime,
        clock=SystemClock(),
        heartbeat_seconds=config.heartbeat_seconds,
        meter=ServerMeter(disk_path=disk_path, gpus=gpus),
        sampler=Sampler(ServerMeter(disk_path=disk_path, gpus=gpus)),
    )
    gpus.start()
    sweeping = asyncio.create_task(_sweep(runtime))
    sampling = asyncio.create_task(agent.sample())
    working = asyncio.create_task(agent.run())
    try:
        if await _first(working, stopping):
            working.result()
    except NotWelcomeError:
        forget_credentials(config)
        raise
    finally:
        working.cancel()
        sweeping.cancel()
        sampling.cancel()
        await asyncio.gather(working, sweeping, sampling, return_exceptions=True)
        orphaned = parent is not None and os.getppid() != parent
        await agent.shut_down(grace_seconds=_ORPHANED_GRACE_SECONDS if orphaned else config.shutdown_grace_seconds)
        await gpus.close()
        await runtime.close()


async def _sweep(runtime: ChosenRuntime) -> None:
    """The engine may not have answered when a container was to be created or removed."""
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        removed = await runtime.sweep()
        if removed:
            log.warning("unknown_containers_removed", count=removed)


async def _first(task: "asyncio.Task[Credentials] | asyncio.Task[None]", stopping: asyncio.Event) -> bool:
    """Returns whether the task ended before the agent was asked to stop; cancels it otherwise."""
    asked = asyncio.create_task(stopping.wait())
    await asyncio.wait([task, asked], return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()
    if task.done():
        return True
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return False


async def _credentials(config: AgentConfig, platform: Platform) -> Credentials:
    known = load_credentials(config)
    if known is not None:
        return known
    if config.enrolment_token is None:
        raise ConfigurationError("this server is not enrolled: put an enrolment_token into the configuration")
    credentials = await _enrol(config, platform, config.enrolment_token.get_secret_value())
    store_credentials(config, credentials)
    log.info("server_enrolled", server_id=credentials.server_id)
    return credentials


async def _enrol(config: AgentConfig, platform: Platform, token: str) -> Credentials:
    pause = _ENROL_PAUSE_SECONDS
    while True:
        try:
            enrolled = await platform.enrol(token)
        except PlatformAwayError as error:
            log.warning("platform_unreachable", error=str(error))
        except NotWelcomeError as error:
            raise ConfigurationError("the enrolment token was used or has expired; create a new one") from error
        else:
            return Credentials(
                platform_url=str(config.platform_url),
                account_id=enrolled.account_id,
                server_id=enrolled.server_id,
                secret=enrolled.secret,
            )
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_ENROL_PAUSE_SECONDS)


def _ask_for_signal_at_parents_death() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _configure_logs(config: AgentConfig) -> None:
    place = LogPlace(config.log_file, config.log_megabytes, config.log_files) if config.log_file else None
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, config.log_level)),
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", RotatedOutput(place))),
    )
