"""The serving process, from the author's function to the exit code."""

import asyncio
import logging
import os
import signal
import sys
from contextlib import suppress

from mlplace.authoring.service import Service
from mlplace.errors import DeclarationError, SettingsError
from mlplace.hosting.backoff import Backoff
from mlplace.hosting.engine import Engine
from mlplace.hosting.link import Link, start_serving
from mlplace.hosting.logs import configure_logging
from mlplace.hosting.pool import Pool
from mlplace.hosting.probes import Probes
from mlplace.settings import Settings
from mlplace.tracing import configure_tracing

logger = logging.getLogger(__name__)

USAGE_ERROR = 2


def serve(thing: object, *, settings: Settings | None = None) -> None:
    """Serves a function, class, object or ``Service`` until SIGTERM or SIGINT, then finishes open calls and returns.

    This is the entry point of a service's process. If the environment or ``thing`` cannot be served, it ends the
    process with one line and exit code 2. See ``run`` for the rest.
    """
    try:
        run(thing, settings=settings)
    except (SettingsError, DeclarationError) as error:
        sys.stderr.write(f"mlplace: {error}\n")
        sys.exit(USAGE_ERROR)


def run(thing: object, *, settings: Settings | None = None) -> None:
    """Like ``serve``, but raises ``SettingsError`` or ``DeclarationError``.

    Reads the environment unless ``settings`` are given. A second signal ends the process at once. So does a plain
    function that still runs after MLP_GRACEFUL_SHUTDOWN_CONNECTOR_MS, because threads cannot be stopped.
    """
    chosen = settings or Settings.from_environment()
    configure_logging(chosen)
    chosen.require_serving()
    service = Service.of(thing, chosen)
    configure_tracing(chosen.model_name or service.name, os.environ)
    if asyncio.run(_serve_until_signalled(service, chosen)):
        logger.warning("functions are still running after the time for a graceful stop: ending without them")
        _end_now()


async def serve_until(
    service: Service, settings: Settings, stop: asyncio.Event, *, backoff: Backoff | None = None
) -> int:
    """Serves in a running loop until ``stop`` is set. Returns how many plain functions are still running then."""
    engine = Engine(service, concurrency=settings.thread_pool_size)
    probes = Probes(startup=settings.startup_probe_file, liveness=settings.liveness_probe_file)
    link = Link(settings, engine, probes, start_serving(settings, engine), backoff or Backoff())
    probes.started()
    logger.info("%s: connecting to %s", service.name, ", ".join(settings.gate_addresses))
    try:
        await Pool(link).run(stop)
    finally:
        engine.close()
    return engine.busy_threads


async def _serve_until_signalled(service: Service, settings: Settings) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        if stop.is_set():
            _end_now()
        logger.info("stopping: open calls are being finished")
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        # Event loops on Windows have no signal handlers; Ctrl-C then raises KeyboardInterrupt.
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, on_signal)
    return await serve_until(service, settings, stop)


def _end_now() -> None:
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
