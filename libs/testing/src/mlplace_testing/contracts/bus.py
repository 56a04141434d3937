"""Contract of the event bus. An adapter's tests subclass it and provide a `bus` fixture."""

import asyncio

import pytest

from mlplace_contracts.topics import API_KEYS, CONNECTIONS, USAGE
from mlplace_runtime.bus.port import Delivered, EventBus, Record, Subscription
from mlplace_testing.waiting import eventually


async def _collect(
    subscription: Subscription, wanted: int, *, seconds: float = 60.0, max_records: int = 100
) -> list[Delivered]:
    found: list[Delivered] = []
    deadline = asyncio.get_running_loop().time() + seconds
    while len(found) < wanted and asyncio.get_running_loop().time() < deadline:
        found.extend(await subscription.poll(max_records=max_records, timeout_seconds=0.5))
    return found


def _usage(key: str, number: int) -> Record:
    return Record(USAGE.name, key, str(number).encode())


class BusContract:
    async def test_records_of_one_key_arrive_in_order(self, bus: EventBus) -> None:
        await bus.publish([_usage(f"k{n % 3}", n) for n in range(60)])
        subscription = await bus.subscribe([USAGE], group="order")
        found = await _collect(subscription, 60)
        await subscription.close()
        for key in ("k0", "k1", "k2"):
            numbers = [int(d.record.value) for d in found if d.record.key == key]
            assert numbers == sorted(numbers)
            assert len(numbers) == 20

    async def test_a_group_continues_after_its_commit(self, bus: EventBus) -> None:
        await bus.publish([_usage("a", n) for n in range(5)])
        first = await bus.subscribe([USAGE], group="resume")
        assert len(await _collect(first, 5)) == 5
        await first.commit()
        await first.close()
        await bus.publish([_usage("a", 5)])
        second = await bus.subscribe([USAGE], group="resume")
        assert [d.record.value for d in await _collect(second, 1)] == [b"5"]
        await second.close()

    async def test_uncommitted_records_come_again(self, bus: EventBus) -> None:
        await bus.publish([_usage("a", n) for n in range(3)])
        first = await bus.subscribe([USAGE], group="again")
        assert len(await _collect(first, 3)) == 3
        await first.close()
        second = await bus.subscribe([USAGE], group="again")
        assert [d.record.value for d in await _collect(second, 3)] == [b"0", b"1", b"2"]
        await second.close()

    async def test_rewind_goes_back_to_the_last_commit(self, bus: EventBus) -> None:
        await bus.publish([_usage("a", n) for n in range(4)])
        subscription = await bus.subscribe([USAGE], group="rewind")
        await subscription.poll(max_records=2, timeout_seconds=5)
        await subscription.rewind()
        assert [d.record.value for d in await _collect(subscription, 4)] == [b"0", b"1", b"2", b"3"]
        await subscription.close()

    async def test_two_groups_each_get_everything(self, bus: EventBus) -> None:
        await bus.publish([_usage("a", 1)])
        for group in ("left", "right"):
            subscription = await bus.subscribe([USAGE], group=group)
            assert len(await _collect(subscription, 1)) == 1
            await subscription.close()

    async def test_two_members_of_a_group_share_the_records_without_duplicates(self, bus: EventBus) -> None:
        await bus.publish([_usage(f"k{n}", n) for n in range(40)])
        members = [await bus.subscribe([USAGE], group="shared") for _ in range(2)]
        seen: list[int] = []

        async def member(subscription: Subscription) -> None:
            quiet = 0
            while quiet < 3:
                batch = await subscription.poll(max_records=10, timeout_seconds=0.5)
                seen.extend(int(d.record.value) for d in batch)
                if batch:
                    await subscription.commit()
                quiet = 0 if batch or len(seen) < 40 else quiet + 1

        async with asyncio.timeout(60):
            await asyncio.gather(*(member(subscription) for subscription in members))
        for subscription in members:
            await subscription.close()
        assert sorted(seen) == list(range(40))

    async def test_a_subscription_without_a_group_reads_the_whole_log(self, bus: EventBus) -> None:
        await bus.publish([Record(API_KEYS.name, "1", b"old"), Record(API_KEYS.name, "2", b"other")])
        subscription = await bus.subscribe([API_KEYS], group=None)
        assert not await subscription.caught_up()
        assert len(await _collect(subscription, 2)) == 2
        assert await subscription.caught_up()
        await bus.publish([Record(API_KEYS.name, "1", b"new")])
        assert [d.record.value for d in await _collect(subscription, 1)] == [b"new"]
        await subscription.close()

    @pytest.mark.parametrize("group", [None, "counting"])
    async def test_unread_records_are_counted(self, bus: EventBus, group: str | None) -> None:
        await bus.publish([_usage("a", n) for n in range(5)])
        subscription = await bus.subscribe([USAGE], group=group)
        read = await _collect(subscription, 2, max_records=2)
        assert await subscription.unread() == 3
        await bus.publish([_usage("a", 5)])
        assert await subscription.unread() == 4
        await _collect(subscription, 6 - len(read))
        assert await subscription.unread() == 0
        await subscription.close()

    async def test_members_count_unread_records_of_their_own(self, bus: EventBus) -> None:
        """Together all, once: nothing is known of what another member reads."""
        members = [await bus.subscribe([USAGE], group="counting members") for _ in range(2)]
        found: set[int] = set()

        async def read(member: Subscription) -> None:
            while True:
                polled = await member.poll(max_records=100, timeout_seconds=0.5)
                await member.commit()  # another member may get the partition
                found.update(delivered.offset for delivered in polled)

        async def counted() -> int | None:
            try:
                return sum([await member.unread() or 0 for member in members])
            except OSError:  # partitions are moving
                return None

        async def read_so_far() -> int:
            return len(found)

        reading = [asyncio.create_task(read(member)) for member in members]
        await bus.publish([_usage("a", n) for n in range(5)])
        await eventually(read_so_far, until=lambda number: number == 5, seconds=60)
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
        await bus.publish([_usage("a", n) for n in range(5)])
        await eventually(counted, until=lambda number: number == 5, seconds=60)
        for member in members:
            await member.close()

    async def test_an_empty_topic_is_caught_up_at_once(self, bus: EventBus) -> None:
        subscription = await bus.subscribe([CONNECTIONS], group=None)
        assert await subscription.caught_up()
        await subscription.close()

    async def test_a_waiting_reader_is_woken_by_a_record(self, bus: EventBus) -> None:
        subscription = await bus.subscribe([USAGE], group="woken")
        waiting = asyncio.create_task(_collect(subscription, 1))
        await bus.publish([_usage("a", 7)])
        assert [d.record.value for d in await waiting] == [b"7"]
        await subscription.close()

    async def test_values_are_opaque_bytes(self, bus: EventBus) -> None:
        value = bytes(range(256))
        await bus.publish([Record(USAGE.name, "ключ", value)])
        subscription = await bus.subscribe([USAGE], group="bytes")
        found = await _collect(subscription, 1)
        assert found[0].record.value == value
        assert found[0].record.key == "ключ"
        await subscription.close()
