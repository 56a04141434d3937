"""The demo in the distributed shape: the same accounts and models, and a hosting server in a container."""

import asyncio
import os
from collections.abc import Callable

import httpx

from mlplace_runtime.process.adapters import open_internal
from mlplace_runtime.process.settings import ProcessSettings
from standalone.banner import demo_lines
from standalone.demo.bootstrap_client import BootstrapClient
from standalone.demo.content import SERVICES
from standalone.demo.russian import translation_for
from standalone.demo.setup import Demo
from standalone.hosting import HostingServer
from standalone.installation.settings import DemoSettings
from standalone.problems import DemoSilentError

_PLACE = "docker compose exec agent cat /var/lib/mlplace/demo.json"


async def make_demo(settings: DemoSettings, process: ProcessSettings) -> None:
    """Requires running services and a running edge."""
    async with open_internal(process) as internal:
        bootstrap_client = BootstrapClient(internal)
        demo = _demo(settings, bootstrap_client)
        await demo.retire_known_passwords()
        await demo.ensure()
        server = HostingServer(
            folder=settings.state_dir,
            platform_url=settings.edge_url,
            name=settings.hosting_server_name,
            log_level="INFO",
            options={"forwards": settings.gate_forwards},
        )
        if server.enrolled:
            server.configure()
        else:
            await server.enrol(bootstrap_client)


async def wait_for_demo(settings: DemoSettings, process: ProcessSettings, *, say: Callable[[str], None]) -> None:
    """Wait until each demo model that still exists has a connected instance, then print who may sign in.

    Raises CannotStartError on timeout.
    """
    async with open_internal(process) as internal:
        demo = _demo(settings, BootstrapClient(internal))
        state = demo.state()
        if state is None:
            return
        try:
            async with asyncio.timeout(settings.patience_seconds):
                await demo.wait_until_running(state)
                await demo.call_as_owner(state)
        except (TimeoutError, httpx.HTTPError):
            raise DemoSilentError from None
        say("\n".join(demo_lines(settings.public_url, state.api_key or "", state, _PLACE)))
        if not state.told:
            demo.note_passwords_shown(state)


def _demo(settings: DemoSettings, bootstrap_client: BootstrapClient) -> Demo:
    return Demo(
        address=settings.edge_url,
        bootstrap_client=bootstrap_client,
        state_file=settings.state_dir / "demo.json",
        currency=settings.currency.value,
        # Gates reach HTTP instances only over a network that they share with the hosting server. Here they share none.
        services=[service for service in SERVICES if service.http_port is None],
        translate=translation_for(os.environ),
    )
