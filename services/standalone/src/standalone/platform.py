"""Starts and stops the whole platform in one process."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx
import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

import accountsadmin.main
import mlpbilling.main
import mlpcore.main
import mlpgateway.main
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.migrations import upgrade_all
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.process import SERVICES
from mlplace_runtime.process.garbage import settle
from mlplace_runtime.process.http.direct import AnswersDirectly
from mlplace_runtime.process.http.server import HttpServer
from mlplace_runtime.service import Shared
from mlplace_runtime.tasks import Loop, ended, running
from mlplace_runtime.telemetry.traces import configure_traces
from standalone.banner import banner
from standalone.data_folder import DataFolder
from standalone.demo.bootstrap_client import BootstrapClient
from standalone.demo.russian import translation_for
from standalone.demo.setup import Demo
from standalone.demo.state import DemoState
from standalone.edge import Edge
from standalone.pages import Pages
from standalone.settings import StandaloneSettings
from standalone.started_resources import StartedResources
from standalone.wiring import service_settings, shared_of

log = structlog.get_logger(__name__)

_MIGRATIONS = {
    "accountsadmin": accountsadmin.main.MIGRATIONS,
    "mlpcore": mlpcore.main.MIGRATIONS,
    "mlpgateway": mlpgateway.main.MIGRATIONS,
    "mlpbilling": mlpbilling.main.MIGRATIONS,
}
Say = Callable[[str], None]


class _Services(dict[str, ASGIApp]):
    """Apps by service. Filled while services start, so a service can call another one only after both are up."""


@dataclass(frozen=True, slots=True)
class _Opening:
    settings: StandaloneSettings
    folder: DataFolder
    databases: dict[str, ServiceDatabase]
    shared: Shared
    apps: _Services
    clients: dict[str, httpx.AsyncClient]


async def open_platform(stack: AsyncExitStack, started: StartedResources, *, say: Say) -> None:
    """Returns when the platform answers calls. Raises CannotStartError."""
    settings, folder = started.settings, started.folder
    configure_traces(service="mlplace", endpoint=settings.otlp_endpoint, sample_ratio=settings.trace_sample_ratio)
    await stack.enter_async_context(running("standalone", [Loop("databases", started.postgres.keep_running)]))
    await upgrade_all([(started.databases[name].owner_url, _MIGRATIONS[name]) for name in SERVICES])
    say("Starting the services ...")
    opening = await _opening(stack, settings, folder, started.databases)
    await _open_services(stack, opening)
    pages = Pages(settings.frontend_dir)
    edge = Edge(
        opening.apps,
        version=_version(),
        missing=lambda: _missing(opening.clients),
        behind=lambda: _behind(opening.clients),
        pages=pages if pages.exist else None,
        built=pages.build,
    )
    demo = _demo(opening, started)
    await demo.retire_known_passwords()
    gateway = opening.apps["mlpgateway"]
    direct = gateway.direct if isinstance(gateway, AnswersDirectly) else None
    proxies = settings.trusted_proxies
    server = HttpServer(edge, started.listener, trusted_proxies=proxies, limits=settings.http_limits, direct=direct)
    await server.start()
    stack.push_async_callback(server.stop)
    state = await _populate(stack, started, opening, demo, say) if settings.demo else None
    settle()
    say(banner(settings, state, str(folder.demo)))
    if state and not state.told:
        demo.note_passwords_shown(state)
    if state:
        stack.push_async_callback(ended, asyncio.create_task(demo.call_as_owner(state)))


async def _opening(
    stack: AsyncExitStack, settings: StandaloneSettings, folder: DataFolder, databases: dict[str, ServiceDatabase]
) -> _Opening:
    folder.objects.mkdir(exist_ok=True)
    folder.agent.mkdir(exist_ok=True, mode=0o700)
    apps = _Services()
    clients = {
        name: await stack.enter_async_context(
            httpx.AsyncClient(transport=httpx.ASGITransport(app=_Later(apps, name)), base_url=f"http://{name}")
        )
        for name in SERVICES
    }
    bus = await stack.enter_async_context(LocalBus(folder.bus, alone=True))
    shared = shared_of(settings, folder, bus, InternalClient(clients, folder.secrets().internal_token))
    await stack.enter_async_context(running("standalone", [Loop("disk", shared.space.run)]))
    return _Opening(settings, folder, databases, shared, apps, clients)


class _Later:
    """Looks up the app at each call."""

    def __init__(self, apps: _Services, name: str) -> None:
        self._apps = apps
        self._name = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._apps.get(self._name)
        if app is None:
            raise ConnectionError(f"{self._name} is not up")
        await app(scope, receive, send)


async def _open_services(stack: AsyncExitStack, opening: _Opening) -> None:
    """Open the gateway last, so that it stops first: running calls can end while the other services still serve."""
    urls = {name: database.service_url for name, database in opening.databases.items()}
    shared, own = opening.shared, service_settings(opening.settings, opening.folder, urls)
    opened = {
        "accountsadmin": accountsadmin.main.open_service(own.accountsadmin, shared),
        "mlpcore": mlpcore.main.open_service(own.mlpcore, shared),
        "mlpbilling": mlpbilling.main.open_service(own.mlpbilling, shared),
        "mlpgateway": mlpgateway.main.open_service(own.mlpgateway, shared),
    }
    for name, service in opened.items():
        opening.apps[name] = await stack.enter_async_context(service)


def _demo(opening: _Opening, started: StartedResources) -> Demo:
    return Demo(
        address=opening.settings.rest_url,
        bootstrap_client=BootstrapClient(opening.shared.internal),
        state_file=opening.folder.demo,
        currency=opening.settings.currency.value,
        services=started.demo_services,
        translate=translation_for(os.environ),
    )


async def _populate(
    stack: AsyncExitStack, started: StartedResources, opening: _Opening, demo: Demo, say: Say
) -> DemoState:
    if demo.state() is None:
        say("Setting up the demo accounts and services ...")
    # From now on the agent stops before the server does, so that its last report is heard.
    agent_running = await stack.enter_async_context(started.agent_running.pop_all())
    if not started.agent_started:
        await started.hosting_server.enrol(BootstrapClient(opening.shared.internal))
        await started.start_agent(agent_running)
    state = await demo.ensure()
    say("Waiting for the demo services ...")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(60):
            await demo.wait_until_running(state)
    return state


async def _missing(clients: dict[str, httpx.AsyncClient]) -> dict[str, str]:
    return {name: answer.text for name, answer in (await _health(clients)).items() if not answer.is_success}


async def _behind(clients: dict[str, httpx.AsyncClient]) -> dict[str, str]:
    """What available services lack, for example disk space."""
    found = {name: answer.json() for name, answer in (await _health(clients)).items()}
    return {f"{name} {part}": why for name, health in found.items() for part, why in health["missing"].items()}


async def _health(clients: dict[str, httpx.AsyncClient]) -> dict[str, httpx.Response]:
    return {name: await client.get(f"/internal/{name}/health/ready") for name, client in clients.items()}


def _version() -> dict[str, str]:
    return {"buildNumber": "0.1.0", "buildDate": "", "buildBranch": "main"}
