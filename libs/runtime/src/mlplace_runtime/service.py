"""What a running service consists of, in both the all-in-one and the distributed shape."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from starlette.requests import HTTPConnection

from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.names import PathRef
from mlplace_runtime.auth.authenticator import Authenticator, CookieNames
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.mail import Mailer
from mlplace_runtime.objectstore.port import ObjectStore
from mlplace_runtime.objectstore.stores import open_memory
from mlplace_runtime.quotas import MemoryQuotas, SharedQuotas
from mlplace_runtime.space import SpaceWatch

_State = TypeVar("_State")


class AccountDirectory(Protocol):
    async def find(self, ref: PathRef) -> AccountEntry | None:
        """Finds any account of the installation by id or short name."""
        ...


@dataclass(frozen=True, slots=True)
class Shared:
    """What the composition root passes to every service: the chosen adapters and installation-wide secrets."""

    bus: EventBus
    clock: Clock
    internal: InternalClient
    hasher: KeyedHasher
    envelope_key: bytes
    internal_token: str
    cookies: CookieNames
    data_dir: Path
    older_envelope_keys: tuple[bytes, ...] = ()
    also_internal_tokens: tuple[str, ...] = ()
    """Tokens accepted besides `internal_token` while an installation's processes switch to a new token."""
    metrics_token: str | None = None
    """Lets a program read metrics that name accounts and services; None: only other services may."""
    quotas: SharedQuotas = field(default_factory=MemoryQuotas)
    objects: ObjectStore = field(default_factory=open_memory)
    space: SpaceWatch = field(default_factory=SpaceWatch)
    mailer: Mailer | None = None
    """None if no mail server is configured."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What the web layer of one service needs. It is stored at `app.state.runtime`."""

    name: str
    database: Database
    authenticator: Authenticator
    accounts: AccountDirectory
    clock: Clock
    ready: Callable[[], dict[str, str]]
    """Maps parts that are not ready to the reason; empty if the service can serve."""
    late: Callable[[], dict[str, str]] = dict
    """Maps parts that the service can do without for a while to what is wrong with them."""
    bus: EventBus | None = None
    behind: Callable[[], dict[str, str]] = dict
    """Maps parts that lag behind to the reason, although requests are answered and the bus may be healthy."""
    database_needed: bool = True
    """Whether requests need the database."""


def runtime_of(request: HTTPConnection) -> Runtime:
    runtime = request.app.state.runtime
    if not isinstance(runtime, Runtime):
        raise TypeError("the app was started without its runtime")
    return runtime


def state_of(kind: type[_State]) -> Callable[[HTTPConnection], Awaitable[_State]]:
    """Returns a dependency: what the features of the service share, of this type. It is stored at `app.state.service`.

    The dependency raises TypeError if the app was started without it.
    """

    # A coroutine: FastAPI runs what is not one in a thread, which takes longer than this.
    async def find(request: HTTPConnection) -> _State:
        state = request.app.state.service
        if not isinstance(state, kind):
            raise TypeError(f"the app was started without its {kind.__name__}")
        return state

    return find
