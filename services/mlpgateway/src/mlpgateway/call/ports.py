"""What the gate needs from the rest of the gateway."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class InstanceEntry:
    """An instance as the read models know it. `accepts_connections` is false from REMOVING on."""

    instance_id: int
    model_id: int
    account_id: int
    model_name: str
    accepts_connections: bool


class InstanceDirectory(Protocol):
    """Look-ups in memory: the gate asks on every connect and holds nothing up for it."""

    def by_token_hash(self, token_hash: str) -> InstanceEntry | None:
        """The instance whose connection token has this keyed hash."""
        ...


@dataclass(frozen=True, slots=True)
class Connection:
    """One stream of one instance to this gate, with what the instance said of itself when it opened it.

    Texts are cut to a bounded length and hold no NUL. `descriptor_json` is the descriptor as JSON, without methods that
    have no output (a process that reconnects sends such), or None when it is too large to keep. `takes_batches`: it
    has predict_batch. `takes_cancels`: it wants to hear that nobody waits for an answer any more. With a `window` it
    tells, and hears, how much of the parts of a request or an answer was worked on, and that much may be under way.
    `takes_bundles`: messages that are ready at the same time may come as one.
    """

    stream_id: uuid.UUID
    entry: InstanceEntry
    gate: str
    hostname: str
    sdk_version: int
    image_name: str
    descriptor_json: str | None
    takes_batches: bool = False
    takes_cancels: bool = False
    takes_bundles: bool = False
    window: int | None = None


class ConnectionLog(Protocol):
    """Hears of streams in the order in which things happen. Must return at once: it is called on the gate's loop."""

    def started(self, gate: str) -> None:
        """The gate at this address begins, without streams."""
        ...

    def connected(self, connection: Connection) -> None: ...

    def lost(self, connection: Connection, *, reason: str) -> None: ...


@dataclass(frozen=True, slots=True)
class GateMembers:
    """The live gates, as `host:port`, sorted.

    `active` ones take calls. `retiring` ones finish the calls they have: instances stay connected to them for that.
    `internal` pairs the address of a gate with the one at which other gates reach it, where it has told.
    """

    active: tuple[str, ...] = ()
    retiring: tuple[str, ...] = ()
    internal: tuple[tuple[str, str], ...] = ()

    @property
    def connectable(self) -> tuple[str, ...]:
        return tuple(sorted({*self.active, *self.retiring}))


class GateDirectory(Protocol):
    """Who else is a gate."""

    async def join(self, address: str, *, internal: str = "") -> None:
        """`internal` is the address for other gates; without one nothing is forwarded there."""
        ...

    async def retire(self, address: str) -> None:
        """Take no new work; still be there for instances."""
        ...

    async def leave(self, address: str) -> None: ...

    async def members(self) -> GateMembers: ...

    def watch(self, listener: Callable[[GateMembers], None]) -> Callable[[], None]:
        """Call the listener after each change of the set. Returns what ends that."""
        ...
