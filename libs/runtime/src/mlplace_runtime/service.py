"""What a running service is made of, whichever shape the platform runs in."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from starlette.requests import HTTPConnection

from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.names import PathRef
from mlplace_runtime.auth.authenticator import Authenticator, CookieNames
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.internal_client import InternalClient


class AccountDirectory(Protocol):
    async def find(self, ref: PathRef) -> AccountEntry | None:
        """Any account of the installation, by id or short name."""
        ...


@dataclass(frozen=True, slots=True)
class Shared:
    """What the composition root gives to every service: chosen adapters and installation-wide secrets."""

    bus: EventBus
    clock: Clock
    internal: InternalClient
    hasher: KeyedHasher
    envelope_key: bytes
    internal_token: str
    cookies: CookieNames
    data_dir: Path


@dataclass(frozen=True, slots=True)
class Runtime:
    """What the web layer of one service needs. Kept at `app.state.runtime`."""

    name: str
    database: Database
    authenticator: Authenticator
    accounts: AccountDirectory
    clock: Clock
    ready: Callable[[], dict[str, str]]
    """Parts that are not ready, with the reason; empty when the service can serve."""


def runtime_of(request: HTTPConnection) -> Runtime:
    runtime = request.app.state.runtime
    if not isinstance(runtime, Runtime):
        raise TypeError("the app was started without its runtime")
    return runtime
