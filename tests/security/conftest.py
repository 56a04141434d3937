"""One platform for all tests of this folder, with two tenants that own objects of every kind."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import grpc
import pytest
import structlog
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mlplace_gateproto import gate_pb2_grpc
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.telemetry.logs import configure_logs
from mlplace_testing.databases import DatabasePool
from mlplace_testing.spans import collected_spans
from tests.security.callers import Cast, cast_of
from tests.security.platform import Platform, open_platform
from tests.security.tenants import Person, Recipe, Tenant


@pytest.fixture(scope="package")
def log_file(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """Everything that the platform logs at DEBUG, in the format of an installation."""
    path = tmp_path_factory.mktemp("logs") / "log"
    root = logging.getLogger()
    handlers, level, configured = list(root.handlers), root.level, structlog.get_config()
    with path.open("w") as stream:
        configure_logs(level="DEBUG", stream=stream)
        structlog.configure(cache_logger_on_first_use=False)
        root.handlers.extend(handlers)
        yield path
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.configure(**configured)


@pytest.fixture(scope="package")
def spans() -> Generator[InMemorySpanExporter]:
    """All spans, with their attributes and events."""
    with collected_spans() as exporter:
        yield exporter


@pytest.fixture(scope="package")
async def platform(
    embedded_postgres: EmbeddedPostgres,
    database_pool: DatabasePool,
    tmp_path_factory: pytest.TempPathFactory,
    log_file: Path,
    spans: InMemorySpanExporter,
) -> AsyncGenerator[Platform]:
    async with open_platform(embedded_postgres, database_pool, tmp_path_factory.mktemp("platform")) as opened:
        yield opened


@pytest.fixture(scope="package")
def recipe(platform: Platform) -> Recipe:
    return Recipe(platform)


@pytest.fixture(scope="package")
async def acme(recipe: Recipe) -> Tenant:
    """The attacking tenant."""
    return await recipe.tenant("acme")


@pytest.fixture(scope="package")
async def globex(recipe: Recipe) -> Tenant:
    """The attacked tenant."""
    return await recipe.tenant("globex")


@pytest.fixture(scope="package")
async def admin(recipe: Recipe) -> Person:
    return await recipe.person("admin@platform.example.org", superadmin=True)


@pytest.fixture(scope="package")
async def cast(platform: Platform, recipe: Recipe, globex: Tenant, admin: Person) -> Cast:
    return await cast_of(platform, recipe, globex, admin)


@pytest.fixture
async def stub(platform: Platform) -> AsyncGenerator["gate_pb2_grpc.GateAsyncStub"]:
    """A caller over gRPC."""
    async with grpc.aio.insecure_channel(platform.gate_address) as channel:
        yield gate_pb2_grpc.GateStub(channel)


@pytest.fixture
def session_runner(_session_scoped_runner: asyncio.Runner) -> asyncio.Runner:
    """The event loop of all tests, for tests that hypothesis calls, which cannot be coroutines."""
    return _session_scoped_runner
