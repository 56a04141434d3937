"""Passed-on answers on the warm path whose caller loses the right to call before their end."""

import asyncio

import pytest

from services.mlpgateway.tests.warm.scenario import EVENTS, WEB

LOST = (
    "the key is revoked", "the key may call other models only", "the key expires", "the model becomes private",
    "the model is deleted", "the account is closed", "the account is blocked", "the account may not call from here",
)  # fmt: skip


@pytest.mark.parametrize("event", LOST)
@pytest.mark.parametrize("warm", [False, True])
async def test_answer_that_has_begun_is_broken_off_and_charged(player, warm: bool, event: str) -> None:
    async with player(warm=warm) as played:
        site, open_streams = played.site, played.site.world.components.pipeline.open_streams
        await site.settled()
        request = played.request(played.keys[0].secret, "web", "begin", "passed-on")
        await site.call(played.request(played.keys[0].secret, "web", "echo", "passed-on"))
        async with site.connection() as (reader, writer):
            writer.write(request)
            await asyncio.wait_for(reader.readuntil(b"3\r\nabc\r\n"), 60)
            await open_streams.look()
            EVENTS[event](played, WEB)
            await open_streams.look()
            assert await asyncio.wait_for(reader.read(), 60) == b""
        await site.has_broken_off()
