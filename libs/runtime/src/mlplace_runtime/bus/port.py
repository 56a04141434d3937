"""The event bus as the rest of the platform sees it.

A topic is a log. `publish` returns when the records are durable. A subscription with a group shares the topic among the
group's members and continues at the group's commits. A subscription without a group reads the whole log from its oldest
kept record, for in-memory read models. Delivery is at least once, in order per key. Every adapter passes the contract
test suite `mlplace_testing.contracts.bus`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from mlplace_contracts.topics import Topic

Place = tuple[str, int]
"""A topic and the number of its partition."""


@dataclass(frozen=True, slots=True)
class Record:
    topic: str
    key: str
    value: bytes


@dataclass(frozen=True, slots=True)
class Delivered:
    """A record with its position in the log. Offsets rise within (topic, partition), with gaps after compaction.

    An empty value is a tombstone, not an event: earlier records of the key may be deleted.
    """

    record: Record
    partition: int
    offset: int

    @property
    def place(self) -> Place:
        return self.record.topic, self.partition


class RecordsRefusedError(ValueError):
    """Records that the bus refuses for good, such as too large ones. `reasons` maps their index in the batch to why.

    Some other records of the batch may be durable. Publish them again.
    """

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__("; ".join(sorted(set(reasons.values()))))
        self.reasons = reasons


class Subscription(Protocol):
    async def poll(self, *, max_records: int, timeout_seconds: float) -> Sequence[Delivered]:
        """Returns the next records; empty if none came within the time."""
        ...

    async def commit(self, upto: Mapping[Place, int] | None = None) -> None:
        """Commits everything polled so far, or everything before the given offsets, in partitions that it still holds.

        It may be called while a poll waits. A subscription without a group ignores it.
        """
        ...

    async def rewind(self) -> None:
        """Goes back to the last commit: what was polled since comes again."""
        ...

    async def caught_up(self) -> bool:
        """Whether everything that was in the log when the subscription began has been polled."""
        ...

    async def unread(self) -> int | None:
        """Returns the number of records after what was polled; None while it is unknown, as without a connection.

        A member of a group counts those in its own partitions. After compaction there may be fewer, and implementations
        may stop counting at 100,000. It may be called while a poll waits. Raises OSError without an answer.
        """
        ...

    async def close(self) -> None: ...


class EventBus(Protocol):
    @property
    def alone(self) -> bool:
        """Whether all services run in this process, so that it writes all events itself.

        A command beside it, such as `dead-letters replay`, may still write some; the relay ships them within 5 s.
        """
        ...

    @property
    def poll_seconds(self) -> float:
        """How long a poll of a reader should wait."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def publish(self, records: Sequence[Record]) -> None:
        """Appends the records in the given order. When it returns, they survive a crash of this process.

        Raises RecordsRefusedError; after any other error a retry may succeed.
        """
        ...

    async def subscribe(self, topics: Sequence[Topic], *, group: str | None) -> Subscription: ...

    def trouble(self) -> str | None:
        """Returns the bus's current problem in words for people, detected within seconds; None if it works."""
        ...
