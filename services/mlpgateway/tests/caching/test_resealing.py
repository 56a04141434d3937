"""A cache whose address was sealed again: the newer event lets a gate reach it that has the present key alone."""

import asyncio

from mlpgateway.features.caching.store import Problem
from mlplace_testing.waiting import eventually

from .conftest import LOOPBACK

NEW = b"n" * 32


class TestNewerEvent:
    async def test_address_is_opened_with_the_present_key_alone(self, open_world, kit, caching) -> None:
        reached = asyncio.Event()

        async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            reached.set()
            writer.close()

        async with (
            open_world(egress_allowed_networks=LOOPBACK, envelope_key=NEW) as world,
            await asyncio.start_server(serve, "127.0.0.1", 0) as owners,
        ):
            uri = f"mongodb://127.0.0.1:{owners.sockets[0].getsockname()[1]}/x"
            before, again = caching(uri), caching(uri, envelope_key=NEW)
            world.instance(kit.says('"answer"'))

            async def problem() -> Problem | None:
                await world.predict(world.key())
                return world.components.caches.find(kit.MODEL).problem

            world.know(before)
            await eventually(problem, until=lambda found: found is Problem.ADDRESS_INVALID, seconds=60)
            assert not reached.is_set()
            world.know(again, before)  # the older event comes once more, as from a topic that is read again
            await problem()
            async with asyncio.timeout(60):
                await reached.wait()
