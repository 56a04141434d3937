"""Usage on this host's disk: written before the answer, shipped in order, never lost, refused rather than forgotten."""

import asyncio

import pytest

from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.errors.usage import UsageSpoolFull
from mlplace_testing.waiting import eventually


async def shipped(bus, count: int) -> None:
    async def records() -> int:
        return len(bus.records)

    await eventually(records, until=lambda number: number >= count, seconds=60)


def fill(spool, usage) -> None:
    while True:
        spool.add(usage)


class TestAdd:
    async def test_event_is_done_at_once_and_shipped_in_order(self, spools, own_bus, tools) -> None:
        async with spools.opened() as spool:
            assert all(spool.add(tools.usage(f"r{number}")).done() for number in range(3000))
            await spool.flush(60)
            assert own_bus.requests == [f"r{number}" for number in range(3000)]
            assert max(own_bus.batches) > 100
        assert spools.files == []

    async def test_event_has_the_format_of_the_bus(self, spools, own_bus, tools) -> None:
        usage = tools.usage("r1", payer=7)
        async with spools.opened() as spool:
            spool.add(usage)
            await spool.flush(60)
        assert own_bus.usages == [usage]
        assert (own_bus.records[0].topic, own_bus.records[0].key) == ("mlpgateway.usage", "7")

    async def test_more_than_one_file_is_shipped_in_order(self, spools, own_bus, tools) -> None:
        own_bus.away = True
        async with spools.opened(most_bytes=tools.MEBIBYTE) as spool:
            for number in range(1000):
                spool.add(tools.usage(f"r{number}"))
            files = len(spools.files)
            own_bus.away = False
            await spool.flush(60)
            assert own_bus.requests == [f"r{number}" for number in range(1000)]
        assert files > 5

    async def test_sync_always_waits_for_the_disk(self, spools, own_bus, tools) -> None:
        async with spools.opened(sync="always") as spool:
            promised = [spool.add(tools.usage(f"r{number}")) for number in range(100)]
            assert not any(future.done() for future in promised)
            await asyncio.gather(*(asyncio.shield(future) for future in promised))
            await spool.flush(60)
            assert own_bus.requests == [f"r{number}" for number in range(100)]

    async def test_nothing_is_recorded_before_the_spool_is_open(self, spools, tools) -> None:
        spool = spools.make()
        with pytest.raises(UsageNotRecorded):
            spool.add(tools.usage())
        with pytest.raises(UsageNotRecorded):
            spool.expect_room()
        assert "is not open yet" in spool.not_ready()["usage"]


class TestDisk:
    async def test_refusing_disk_is_reported_at_once_and_leaves_no_trace(self, spools, own_bus, tools) -> None:
        async with spools.opened() as spool:
            spool.add(tools.usage("before"))
            with tools.full_disk(), pytest.raises(UsageNotRecorded):
                spool.add(tools.usage("refused"))
            with pytest.raises(UsageNotRecorded):
                spool.expect_room()
            assert "cannot be written" in spool.not_ready()["usage"]
            await asyncio.wait_for(spool.ready.wait(), 60)
            spool.add(tools.usage("after"))
            await spool.flush(60)
            assert own_bus.requests == ["before", "after"]
            assert spool.not_ready() == {}

    async def test_folder_that_cannot_be_created_is_tried_again(self, spools, own_bus, tools) -> None:
        spools.root.write_text("in the way")
        spool = spools.make()
        running = asyncio.create_task(spool.run())

        async def trouble() -> str:
            return spool.not_ready().get("usage", "")

        await eventually(trouble, until=lambda text: "cannot be written" in text, seconds=60)
        spools.root.unlink()
        await asyncio.wait_for(spool.ready.wait(), 60)
        spool.add(tools.usage("r"))
        await spool.flush(60)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert own_bus.requests == ["r"]


class TestDiskThatForgets:
    """A disk that accepts writes and fails to sync them."""

    async def test_unsynced_usage_is_neither_promised_nor_shipped(self, spools, own_bus, tools) -> None:
        async with spools.opened(sync="always") as spool:
            await asyncio.shield(spool.add(tools.usage("kept")))
            await spool.flush(60)
            with tools.forgetful(spool):
                lost = spool.add(tools.usage("lost"))
                with pytest.raises(UsageNotRecorded):
                    await asyncio.wait_for(asyncio.shield(lost), 60)
            await asyncio.wait_for(spool.ready.wait(), 60)
            await asyncio.shield(spool.add(tools.usage("after")))
            await spool.flush(60)
        assert own_bus.requests == ["kept", "after"]
        assert spools.files == []


class TestBusOutage:
    async def test_late_usage_is_shipped_when_the_bus_is_back(self, spools, own_bus, tools) -> None:
        own_bus.away = True
        async with spools.opened() as spool:
            spool.add(tools.usage("r"))

            async def late() -> str:
                return spool.late().get("usage", "")

            assert "wait for the event bus" in await eventually(late, seconds=60)
            assert spool.not_ready() == {}
            own_bus.away = False
            await spool.flush(60)
            assert (own_bus.requests, spool.late()) == (["r"], {})

    async def test_full_spool_refuses_new_calls_first(self, spools, own_bus, tools) -> None:
        own_bus.away = True
        async with spools.opened(most_bytes=tools.MEBIBYTE) as spool:
            let_in = 0
            while not spool.not_ready():
                spool.expect_room()
                spool.add(tools.usage(f"r{let_in}"))
                let_in += 1
            assert "0.9 of 1 MiB wait for the event bus" in spool.not_ready()["usage"]
            with pytest.raises(UsageSpoolFull):
                spool.expect_room()
            spool.add(tools.usage(f"r{let_in}"))  # of a call that was admitted before
            with pytest.raises(UsageSpoolFull):
                fill(spool, tools.usage("too much"))
            own_bus.away = False
            await spool.flush(60)
            spool.expect_room()
            assert own_bus.requests[: let_in + 1] == [f"r{number}" for number in range(let_in + 1)]

    async def test_unacknowledged_records_are_sent_again_with_the_same_ids(self, spools, own_bus, tools) -> None:
        own_bus.forgets_to_answer = True
        async with spools.opened() as spool:
            spool.add(tools.usage("r"))
            await shipped(own_bus, 2)
            own_bus.forgets_to_answer = False
            await spool.flush(60)
        assert len(own_bus.event_ids) >= 2
        assert len(set(own_bus.event_ids)) == 1

    async def test_record_that_the_bus_never_accepts_is_parked_and_blocks_nothing(self, spools, own_bus, tools) -> None:
        own_bus.refused = {"13"}
        async with spools.opened() as spool:
            for payer in (12, 13, 14):
                spool.add(tools.usage(f"r{payer}", payer=payer))
            await spool.flush(60)
        assert own_bus.requests == ["r12", "r14"]
        assert [(record.key, reason) for record, reason in spools.parked] == [("13", "the bus refuses it: too large")]


class TestEnd:
    async def test_unshipped_usage_stays_for_the_next_process(self, spools, own_bus, tools) -> None:
        own_bus.away = True
        async with spools.opened() as spool:
            for number in range(10):
                spool.add(tools.usage(f"r{number}"))
        own_bus.away = False
        async with spools.opened() as spool:
            spool.add(tools.usage("new"))
            await spool.flush(60)
        assert own_bus.requests == [*(f"r{number}" for number in range(10)), "new"]
        assert spools.files == []

    async def test_spool_can_be_run_again(self, spools, own_bus, tools) -> None:
        spool = spools.make()
        for attempt in range(2):
            running = asyncio.create_task(spool.run())
            await asyncio.wait_for(spool.ready.wait(), 60)
            spool.add(tools.usage(f"r{attempt}"))
            await spool.flush(60)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        assert own_bus.requests == ["r0", "r1"]
