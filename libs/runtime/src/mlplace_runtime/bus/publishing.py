"""Publishing batches that may contain records which the bus refuses for good."""

from collections.abc import Awaitable, Callable, Sequence

from mlplace_runtime.bus.port import EventBus, Record, RecordsRefusedError

Published = Callable[[Sequence[int]], Awaitable[None]]
"""Gets the places in the batch of records that are durable now."""
Park = Callable[[int, str], Awaitable[None]]
"""Stores the refused record at this place in the batch, with the reason."""


async def publish_or_park(
    bus: EventBus, records: Sequence[Record], *, park: Park, published: Published | None = None
) -> None:
    """Publishes the batch, and parks records that the bus refuses, so that they do not block the others.

    The bus may refuse a batch because of one record, or because of its size. So each record of a refused batch is
    published again alone, in order, and parked when it is refused again. Raises every other error of `publish`: then
    the records that neither callback got have to be published again.
    """
    try:
        await bus.publish(records)
    except RecordsRefusedError:
        for place, record in enumerate(records):
            await _publish_alone(bus, place, record, park, published)
    else:
        await _tell(published, range(len(records)))


async def _publish_alone(bus: EventBus, place: int, record: Record, park: Park, published: Published | None) -> None:
    try:
        await bus.publish([record])
    except RecordsRefusedError as refusal:
        await park(place, f"the bus refuses it: {refusal}")
    else:
        await _tell(published, [place])


async def _tell(published: Published | None, places: Sequence[int]) -> None:
    if published is not None:
        await published(places)
