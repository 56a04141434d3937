"""What a WebSocket costs that the gateway closes. The handshake is the first part of its answer."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count

import aiohttp
import pytest

from mlpgateway.shares.share import OWN, Share
from mlplace_contracts.limits import KeyLimits, SizeRule

MIB = 1024 * 1024
TOO_LARGE, NO_ROOM = 1009, 1013
_LEFT = 500
"""Bytes: more than the callers' messages have, less than the message of the model."""
AFTER = pytest.mark.parametrize("messages", [0, 1], ids=["after the handshake", "after a message of the model"])


def fill(share: Share) -> None:
    """Other accounts use all but a few bytes, so the gateway has no room, and no account too large a share."""
    numbers = count(1_000_000)
    while share.total - share.used > _LEFT:
        share.take(next(numbers), min(share.total // OWN, share.total - share.used - _LEFT))


@pytest.fixture
def ends(over_wire, kit, tools):
    """Ends a WebSocket with a message of the caller. Returns the close code, and how many calls are charged."""
    world = over_wire.world
    world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))

    async def ended(
        message: str | bytes, messages: int, *, before: Callable[[], None] = lambda: None, **about: object
    ) -> tuple[int | None, int]:
        """`before` is called when the model has said so many messages; `about` is about the caller's key."""
        opening = over_wire.client.ws_connect(f"{over_wire.base}/talk", headers=world.key(**about), max_msg_size=0)
        async with opening as socket:
            for _ in range(messages):
                await socket.send_str("a")
                assert await socket.receive_str() == "a"
            before()
            with suppress(ConnectionError):
                await (socket.send_str(message) if isinstance(message, str) else socket.send_bytes(message))
            assert (await socket.receive()).type not in {aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY}
            code = socket.close_code
        await tools.until(lambda: not world.components.admission.running)
        return code, len(await world.usage())

    return ended


@AFTER
class TestMessageOfTheCaller:
    async def test_one_that_is_too_large_charges_the_call(self, ends, messages: int) -> None:
        """The caller may see a lost connection instead of the code: the close comes at the beginning of the message."""
        _, charged = await ends(bytes(4 * MIB + 1), messages)
        assert charged == 1

    async def test_one_above_the_size_of_the_key_charges_the_call(self, ends, messages: int) -> None:
        limits = KeyLimits(size=SizeRule(most=5, unit="BYTES"))
        assert await ends("123456", messages, limits=limits) == (TOO_LARGE, 1)

    async def test_one_above_the_callers_share_charges_the_call(self, ends, over_wire, kit, messages: int) -> None:
        share = over_wire.world.components.admission.bytes
        assert await ends("b", messages, before=lambda: share.take(kit.DEMO, share.total, mine=0)) == (NO_ROOM, 1)

    async def test_one_without_room_at_the_gateway_costs_nothing(self, ends, over_wire, messages: int) -> None:
        share = over_wire.world.components.admission.bytes
        assert await ends("b" * 2 * _LEFT, messages, before=lambda: fill(share)) == (NO_ROOM, 0)


@AFTER
class TestMessageOfTheModel:
    async def test_one_that_is_too_large_costs_nothing(self, ends, messages: int) -> None:
        assert await ends(f"large {16 * MIB + 1}", messages) == (TOO_LARGE, 0)

    async def test_one_without_room_at_the_gateway_costs_nothing(self, ends, over_wire, messages: int) -> None:
        share = over_wire.world.components.admission.bytes
        assert await ends(f"large {2 * _LEFT}", messages, before=lambda: fill(share)) == (NO_ROOM, 0)

    async def test_one_above_the_callers_share_charges_the_call(self, ends, over_wire, kit, messages: int) -> None:
        share = over_wire.world.components.admission.bytes

        def take() -> None:
            share.take(kit.DEMO, share.most(kit.DEMO) - _LEFT, mine=0)

        assert await ends(f"large {2 * _LEFT}", messages, before=take) == (NO_ROOM, 1)
