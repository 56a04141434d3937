"""Publishing a batch of which the bus may never take some records."""

from collections.abc import Awaitable, Callable, Sequence

from mlplace_runtime.bus.port import EventBus, Record, RecordsRefusedError

Published = Callable[[Sequence[int]], Awaitable[None]]
"""Hears which records are durable, by their places in the batch."""
Park = Callable[[int, str], Awaitable[None]]
"""Keeps the record at this place in the batch, which the bus will never take, with the reason."""


async def publish_or_park(
    bus: EventBus, records: Sequence[Record], *, park: Park, published: Published | None = None
) -> None:
    """Publish the batch. Records that the bus refuses are parked, so that the others can go on.

    The bus may refuse a batch for the fault of one record, or for its size. So each record of a refused batch is
    published again alone, in order, and parked when it is refused again. Raises what `publish` raises otherwise: the
    records that neither callback was told of have to be published again.
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
