"""The service mlpgateway, from its settings to a running app and a running gate."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from mlpgateway import registry
from mlpgateway.entry.grpc.server import GateComponents, GateServer, open_gate
from mlpgateway.entry.openapi import document_raw_routes
from mlpgateway.features.archive.service import Archive
from mlpgateway.features.caching.states import CacheStates
from mlpgateway.features.detailed_metrics.service import DetailedMetrics
from mlpgateway.features.diagnosis.service import Diagnosis
from mlpgateway.http2.limits import Http2Limits
from mlpgateway.instances.grpc.connects import ConnectBounds
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.instances.grpc.options import GateOptions, TlsFiles
from mlpgateway.settings import MlpgatewaySettings
from mlpgateway.state import Provided
from mlpgateway.warm.direct import WarmCalls
from mlpgateway.wiring.components import Components, compose
from mlpgateway.wiring.http import over_http
from mlpgateway.wiring.warm import make_warm_calls
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES
from mlplace_runtime.bootstrap import service_app
from mlplace_runtime.db.database import open_database
from mlplace_runtime.process.http.direct import Direct
from mlplace_runtime.process.http.server import ShutdownTimes
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from mlplace_runtime.remote_identities import authenticator_of
from mlplace_runtime.service import Runtime, Shared
from mlplace_runtime.tasks import running
from mlplace_runtime.web.app import attach
from mlplace_runtime.web.request_context import RequestContext

NAME = "mlpgateway"
MIGRATIONS = Path(__file__).parent / "migrations"
_FLUSH_SECONDS = 5.0

log = structlog.get_logger(__name__)


def build_app() -> FastAPI:
    """Returns the app without resources, for the OpenAPI document and for tests of the routes."""
    app = service_app(name=NAME, title="MLPlace gateway: calls of models", routers=registry.ROUTERS)
    document_raw_routes(app)
    return app


@asynccontextmanager
async def open_service(settings: MlpgatewaySettings, shared: Shared) -> AsyncGenerator[ASGIApp]:
    """Runs the service: its app, its gate and its loops. The database must be at the newest revision.

    At the end the gate stops first and waits for running calls. Then the gate returns its leases.
    """
    async with open_database(settings.database_url, application_name=NAME) as database:
        links = ConnectedInstances(grace_seconds=settings.drain_seconds)
        components = compose(settings, shared, database, links)
        options = gate_options(settings)
        async with running(NAME, registry.loops(components, shared.bus)):
            needed = [
                components.read_models_projection.ready,
                components.identities_projection.ready,
                components.spool.ready,
            ]
            await _wait_for(needed, settings.start_seconds)
            try:
                async with open_gate(_gate_components(components, shared), options) as gate:
                    components.http_instances.open(gate.address)
                    app = _app(settings, shared, components, gate)
                    warm = _warm_calls(settings, shared, components)
                    try:
                        yield Gateway(app, gate, options, warm)
                    finally:
                        if warm is not None:
                            await warm.close()
            finally:
                await components.http_instances.close()
                await components.entry_points.egress.close()
                await components.large_bodies.close()
                await components.leases.release_all()
                await components.bucket_leases.close()
                await components.connections.flush(_FLUSH_SECONDS)
                await components.spool.flush(_FLUSH_SECONDS)


async def _wait_for(needed: list[asyncio.Event], seconds: float) -> None:
    """Waits for the read models and the spool: without them, instances are unknown and calls cannot be recorded."""
    try:
        async with asyncio.timeout(seconds):
            for ready in needed:
                await ready.wait()
    except TimeoutError:
        log.warning("start_wait_exceeded")


class Gateway:
    """The app, and its graceful shutdown."""

    def __init__(self, app: ASGIApp, gate: GateServer, options: GateOptions, direct: Direct | None = None) -> None:
        self._app = app
        self._direct = direct
        self._gate = gate
        self._options = options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    @property
    def direct(self) -> Direct | None:
        """Satisfies AnswersDirectly."""
        return self._direct

    async def retire(self) -> ShutdownTimes:
        """Satisfies Retiring."""
        await self._gate.retire()
        return ShutdownTimes(self._options.connection_seconds, self._gate.seconds_for_calls)


def _warm_calls(settings: MlpgatewaySettings, shared: Shared, components: Components) -> WarmCalls | None:
    if not settings.warm_calls:
        return None
    return make_warm_calls(
        pipeline=components.pipeline,
        stages=components.pipeline.stages,
        admission=components.admission,
        read_models=components.read_models,
        hasher=shared.hasher,
        secure=shared.cookies.secure,
    )


def _app(settings: MlpgatewaySettings, shared: Shared, components: Components, gate: GateServer) -> ASGIApp:
    control = build_app()
    authenticator = authenticator_of(shared, sessions=components.sessions, keys=components.keyring)
    accounts = components.read_models.accounts

    def missing() -> dict[str, str]:
        leaving = {"gate": "is going away"} if gate.leaving else {}
        return components.not_ready() | leaving

    runtime = Runtime(
        NAME,
        components.database,
        authenticator,
        accounts,
        shared.clock,
        missing,
        components.late,
        shared.bus,
        behind=components.behind,
        database_needed=False,  # keys, models and money are in memory, usage is on disk
    )
    attach(control, runtime, provide(settings, shared, components, gate.address))
    front = over_http(components, control=control, cookies=shared.cookies)
    return RequestContext(front, service=NAME, max_body_bytes=settings.max_body_bytes)


def provide(settings: MlpgatewaySettings, shared: Shared, components: Components, address: str) -> Provided:
    """Returns what the control endpoints use. `address` is this gate's own address."""
    models = components.read_models.models
    return Provided(
        settings,
        Diagnosis(address, components.links, components.gates),
        components.entry_points.predictions,
        Archive(database=components.database, objects=shared.objects, models=models),
        CacheStates(stores=components.caches, models=models),
        components.storage.service,
        DetailedMetrics(components.samples.totals, models, components.read_models.accounts),
    )


def _gate_components(components: Components, shared: Shared) -> GateComponents:
    return GateComponents(
        handler=components.pipeline,
        idempotent_calls=components.entry_points.idempotent_calls,
        large_bodies=components.large_bodies,
        instances=components.read_models.instances,
        hasher=shared.hasher,
        connections=components.connections,
        gates=components.gates,
        links=components.links,
        admission=components.admission,
        holders=components.entrance,
        peers=components.peers,
        peer_rpc=components.peer_rpc,
        known=components.read_models_projection.ready,
    )


def gate_options(settings: MlpgatewaySettings) -> GateOptions:
    certificate, key = settings.grpc_tls_certificate, settings.grpc_tls_key
    host = f"[{settings.grpc_host}]" if ":" in settings.grpc_host else settings.grpc_host
    own_port = settings.grpc_internal_port
    return GateOptions(
        listen=f"{host}:{settings.grpc_port}",
        advertised=settings.grpc_advertised_address,
        tls=TlsFiles(certificate, key) if certificate and key else None,
        internal=settings.grpc_internal_address or _internal_address(settings),
        internal_listen=f"{host}:{own_port}" if own_port is not None else None,
        proxies=TrustedProxies(settings.trusted_proxies),
        connects=ConnectBounds(
            token_per_minute=settings.instance_connects_per_minute,
            token_streams=settings.instance_streams,
            account_per_minute=settings.account_connects_per_minute,
            account_streams=settings.account_instance_streams,
        ),
        limits=Http2Limits(
            MAX_MESSAGE_BYTES,
            connections=settings.grpc_connections,
            unproven=settings.grpc_unproven_connections,
            unproven_of_address=settings.grpc_unproven_per_address,
            streams=settings.grpc_streams_per_connection,
        ),
        settle_seconds=settings.settle_seconds,
        connection_seconds=settings.connection_seconds,
        drain_seconds=settings.drain_seconds,
    )


def _internal_address(settings: MlpgatewaySettings) -> str | None:
    """Returns the address for other gates. A gate on all addresses takes its host name's address, as in containers."""
    if settings.grpc_host not in {"0.0.0.0", "::"}:
        return None
    port = settings.grpc_port if settings.grpc_internal_port is None else settings.grpc_internal_port
    try:
        return f"{socket.gethostbyname(socket.gethostname())}:{port}" if port else None
    except OSError:
        return settings.grpc_advertised_address
