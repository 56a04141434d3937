"""The gRPC server's ports to the rest of the gateway."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class InstanceEntry:
    """An instance as the read models know it. `accepts_connections` is false from the state REMOVING on.

    `serves`: calls may go to it. Other instances only stay connected: they train, for example.
    """

    instance_id: int
    model_id: int
    account_id: int
    model_name: str
    accepts_connections: bool
    serves: bool = True


class InstanceDirectory(Protocol):
    """Finds instances in memory, without waiting: the gate asks on every connect."""

    def by_token_hash(self, token_hash: str) -> InstanceEntry | None:
        """Returns the instance whose connection token has this keyed hash, None when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class ConnectedInstance:
    """One stream of one instance to this gate, with the properties that the instance declared on connecting.

    Texts are cut to a bounded length and can be stored. `descriptor_json` is the descriptor as JSON, without methods
    that have no output (a process that reconnects sends such methods); None when it is too large to keep.
    `takes_batches`: the instance has predict_batch. `takes_cancels`: it wants to hear when nobody waits for an answer
    any more. `takes_bundles`: messages that are ready at the same time may come as one. With a `window` both sides
    report how many bytes of a request's or an answer's parts they have processed; at most `window` bytes may be
    unprocessed.
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
    """Receives the events of streams in their order. Must return at once: the gate's event loop calls it."""

    def started(self, gate: str) -> None:
        """Tells that the gate at this address started and has no streams."""
        ...

    def connected(self, connection: ConnectedInstance) -> None: ...

    def lost(self, connection: ConnectedInstance, *, reason: str) -> None: ...


@dataclass(frozen=True, slots=True)
class GateMembers:
    """The live gates, each as `host:port`, sorted.

    `active` gates take new calls. `retiring` gates only finish running calls; instances stay connected to them until
    then. `internal` pairs a gate's address with the one at which other gates reach it, if the gate has told it.
    """

    active: tuple[str, ...] = ()
    retiring: tuple[str, ...] = ()
    internal: tuple[tuple[str, str], ...] = ()

    @property
    def connectable(self) -> tuple[str, ...]:
        return tuple(sorted({*self.active, *self.retiring}))


class GateDirectory(Protocol):
    """The set of live gates."""

    async def join(self, address: str, *, internal: str = "") -> None:
        """Adds this gate. `internal` is its address for other gates; without one, nothing is forwarded to it."""
        ...

    async def retire(self, address: str) -> None:
        """Marks the gate as retiring: it takes no new calls, instances stay connected."""
        ...

    async def leave(self, address: str) -> None: ...

    async def members(self) -> GateMembers: ...

    def watch(self, listener: Callable[[GateMembers], None]) -> Callable[[], None]:
        """Calls the listener after each change of the set. Returns a function that stops this."""
        ...
