"""Opens the adapters that the settings choose: bus, quotas, objects, and the clients of the other services."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx

from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.mail import MailSettings, mailer_of
from mlplace_runtime.objectstore import ObjectStore, open_folder, open_s3
from mlplace_runtime.process.settings import ProcessSettings
from mlplace_runtime.quotas import MemoryQuotas, SharedQuotas
from mlplace_runtime.service import Shared
from mlplace_runtime.space import SpaceWatch

_KAFKA = "kafka://"
_CONNECT_ATTEMPTS = 2  # per call, each with a new name look-up, so that a removed replica is not tried twice


def choose_bus(settings: ProcessSettings, *, client_id: str) -> EventBus:
    if not settings.bus.startswith(_KAFKA):
        return LocalBus(Path(settings.bus))
    from mlplace_runtime.bus.kafka.bus import KafkaBus

    servers = tuple(settings.bus.removeprefix(_KAFKA).rstrip("/").split(","))
    return KafkaBus(settings.kafka(servers, client_id=client_id))


def choose_quotas(settings: ProcessSettings) -> SharedQuotas:
    if settings.redis_url is None:
        return MemoryQuotas()
    from mlplace_runtime.quotas.redis import RedisQuotas, RedisSettings

    return RedisQuotas(RedisSettings(settings.redis_url.get_secret_value()))


def choose_objects(settings: ProcessSettings) -> ObjectStore:
    return open_s3(settings.s3) if settings.s3 else open_folder(settings.data_dir / "objects")


@asynccontextmanager
async def open_internal(settings: ProcessSettings) -> AsyncGenerator[InternalClient]:
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(
                httpx.AsyncClient(base_url=address, transport=httpx.AsyncHTTPTransport(retries=_CONNECT_ATTEMPTS))
            )
            for name, address in settings.addresses.items()
        }
        yield InternalClient(clients, settings.internal_token.get_secret_value())


@asynccontextmanager
async def open_shared(settings: ProcessSettings, *, client_id: str) -> AsyncGenerator[Shared]:
    """Opens them without waiting for the brokers or the other services."""
    async with (
        choose_bus(settings, client_id=client_id) as bus,
        choose_quotas(settings) as quotas,
        open_internal(settings) as internal,
    ):
        yield Shared(
            bus=bus,
            clock=SystemClock(),
            internal=internal,
            hasher=KeyedHasher(settings.hash_key),
            envelope_key=settings.sealing_key,
            internal_token=settings.internal_token.get_secret_value(),
            older_envelope_keys=settings.older_sealing_keys,
            also_internal_tokens=settings.also_internal_tokens,
            metrics_token=settings.metrics_token.get_secret_value() if settings.metrics_token else None,
            cookies=CookieNames(secure=settings.secure_cookies),
            data_dir=settings.data_dir,
            quotas=quotas,
            objects=choose_objects(settings),
            space=SpaceWatch(
                [settings.data_dir],
                soft_bytes=settings.disk_soft_floor_bytes,
                hard_bytes=settings.disk_hard_floor_bytes,
            ),
            mailer=mailer_of(MailSettings()),
        )
