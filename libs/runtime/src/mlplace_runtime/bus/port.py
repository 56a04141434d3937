"""The event bus as the rest of the platform sees it.

A topic is a log. `publish` returns when the records are durable. A subscription with a group shares the topic among its
members and remembers what the group has committed; one without a group gets the whole log from its oldest kept record
on, for read models that live in memory. Delivery is at least once, in order per key. Every adapter passes the contract
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
    """A record with its place in the log. Offsets rise within (topic, partition), with gaps after compaction.

    An empty value is a tombstone: what the key said before may be forgotten. It is no event.
    """

    record: Record
    partition: int
    offset: int

    @property
    def place(self) -> Place:
        return self.record.topic, self.partition


class RecordsRefusedError(ValueError):
    """Records that the bus will never take, such as one that is too large: the reason by their place in the batch.

    Of the other records of the batch some may be durable. Publish them again.
    """

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__("; ".join(sorted(set(reasons.values()))))
        self.reasons = reasons


class Subscription(Protocol):
    async def poll(self, *, max_records: int, timeout_seconds: float) -> Sequence[Delivered]:
        """The next records; empty when none came within the time."""
        ...

    async def commit(self, upto: Mapping[Place, int] | None = None) -> None:
        """Everything polled so far is done, or everything before the given offsets, of partitions that it still has.

        It may be called while a poll waits. A subscription without a group ignores it.
        """
        ...

    async def rewind(self) -> None:
        """Back to the last commit: what was polled since comes again."""
        ...

    async def caught_up(self) -> bool:
        """Whether everything that was in the log when the subscription began has been polled."""
        ...

    async def close(self) -> None: ...


class EventBus(Protocol):
    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def publish(self, records: Sequence[Record]) -> None:
        """Append in the given order. When it returns, the records survive a crash of this process.

        Raises RecordsRefusedError; other errors mean that it may work later.
        """
        ...

    async def subscribe(self, topics: Sequence[Topic], *, group: str | None) -> Subscription: ...

    def trouble(self) -> str | None:
        """What ails the bus at present, known within seconds, for people to read; None when it works."""
        ...
