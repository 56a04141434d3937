from collections.abc import Sequence

import pytest

from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record, RecordsRefusedError
from mlplace_runtime.bus.publishing import publish_or_park


class _Narrow(LocalBus):
    """Accepts only a few bytes at a time, and fails at certain records."""

    def __init__(self, *, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.taken: list[bytes] = []

    async def publish(self, records: Sequence[Record]) -> None:
        if sum(len(record.value) for record in records) > self.most_bytes:
            raise RecordsRefusedError({0: "too large"})
        if any(record.value == b"!" for record in records):
            raise ConnectionError("the broker is away")
        self.taken += [record.value for record in records]


class _Told:
    def __init__(self) -> None:
        self.published: list[list[int]] = []
        self.parked: list[tuple[int, str]] = []

    async def hear(self, places: Sequence[int]) -> None:
        self.published.append([*places])

    async def park(self, place: int, reason: str) -> None:
        self.parked.append((place, reason))


async def _publish(bus: _Narrow, *values: bytes) -> _Told:
    told = _Told()
    await publish_or_park(bus, [Record("t", "k", value) for value in values], park=told.park, published=told.hear)
    return told


class TestPublishOrPark:
    async def test_a_batch_that_the_bus_accepts_is_published_together(self) -> None:
        bus = _Narrow(most_bytes=3)
        told = await _publish(bus, b"a", b"b", b"c")
        assert (bus.taken, told.published, told.parked) == ([b"a", b"b", b"c"], [[0, 1, 2]], [])

    async def test_a_batch_that_is_too_large_is_published_record_by_record(self) -> None:
        bus = _Narrow(most_bytes=2)
        told = await _publish(bus, b"a", b"b", b"c")
        assert (bus.taken, told.published, told.parked) == ([b"a", b"b", b"c"], [[0], [1], [2]], [])

    async def test_only_records_that_are_refused_alone_are_parked(self) -> None:
        bus = _Narrow(most_bytes=2)
        told = await _publish(bus, b"a", b"large", b"c", b"larger")
        reason = "the bus refuses it: too large"
        assert (bus.taken, told.published) == ([b"a", b"c"], [[0], [2]])
        assert told.parked == [(1, reason), (3, reason)]

    async def test_another_error_is_raised_and_leaves_the_rest_unpublished(self) -> None:
        bus = _Narrow(most_bytes=2)
        with pytest.raises(ConnectionError):
            await _publish(bus, b"a", b"large", b"!", b"d")
        assert bus.taken == [b"a"]

    async def test_the_callback_for_published_records_is_optional(self) -> None:
        bus, told = _Narrow(most_bytes=2), _Told()
        await publish_or_park(bus, [Record("t", "k", b"ab"), Record("t", "k", b"c")], park=told.park)
        assert (bus.taken, told.parked) == ([b"ab", b"c"], [])
