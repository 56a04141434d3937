"""Creates everything that services need before their first start. All steps are idempotent."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

import accountsadmin.main
import mlpbilling.main
import mlpcore.main
import mlpgateway.main
from mlplace_runtime.bus.kafka.bus import KafkaBus
from mlplace_runtime.db.migrations import upgrade_all
from mlplace_runtime.db.provision import provision
from mlplace_runtime.db.waiting import wait_for_database
from mlplace_runtime.objectstore import ensure_bucket
from mlplace_runtime.process import SERVICES
from mlplace_runtime.process.adapters import choose_bus
from mlplace_runtime.process.settings import ProcessSettings
from standalone.installation.settings import PrepareSettings

log = structlog.get_logger(__name__)

_MIGRATIONS = {
    "accountsadmin": accountsadmin.main.MIGRATIONS,
    "mlpcore": mlpcore.main.MIGRATIONS,
    "mlpgateway": mlpgateway.main.MIGRATIONS,
    "mlpbilling": mlpbilling.main.MIGRATIONS,
}
_PAUSE_SECONDS = 1.0


async def prepare(settings: PrepareSettings, process: ProcessSettings) -> None:
    """Create databases, roles, topics and the bucket, and migrate. Raises ConnectionError if one stays unavailable."""
    databases = [settings.database(service) for service in SERVICES]
    for url in dict.fromkeys(database.admin_url or database.owner_url for database in databases):
        await wait_for_database(url, seconds=settings.patience_seconds)
    await prepare_databases(settings)
    await _persist(lambda: _topics(process), "topics", settings.patience_seconds)
    if (bucket := process.s3) is not None:
        await _persist(lambda: ensure_bucket(bucket), "bucket", settings.patience_seconds)


async def prepare_databases(settings: PrepareSettings) -> None:
    databases = {service: settings.database(service) for service in SERVICES}
    for service, urls in databases.items():
        if urls.admin_url is not None:
            await provision(urls.admin_url, service=service, database=urls.name, passwords=urls.passwords)
            log.info("database_ready", service=service)
    await upgrade_all([(urls.owner_url, _MIGRATIONS[service]) for service, urls in databases.items()])
    log.info("databases_migrated")


async def _topics(process: ProcessSettings) -> None:
    async with choose_bus(process, client_id="prepare") as bus:
        if isinstance(bus, KafkaBus):
            await bus.ensure_topics()


async def _persist(work: Callable[[], Awaitable[None]], what: str, seconds: float) -> None:
    """Retry on ConnectionError until the time is up, then raise the last one."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        try:
            await work()
        except ConnectionError:
            if loop.time() >= deadline:
                raise
            await asyncio.sleep(_PAUSE_SECONDS)
        else:
            log.info("ready", part=what)
            return
