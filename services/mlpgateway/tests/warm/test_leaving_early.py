"""Callers who leave before the gateway looks for disconnects, which `http/test_disconnects.py` says when it does."""

import asyncio

import pytest

from mlpgateway.entry.http import wire
from mlpgateway.entry.sockets import incoming
from mlpgateway.warm import call
from mlplace_testing.waiting import eventually

_HOUR = 3600.0


@pytest.fixture(autouse=True)
def _nobody_looks_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (wire, incoming, call):
        monkeypatch.setattr(module, "UNWATCHED_SECONDS", _HOUR)


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize(
    ("model", "shape"), [("paid", "plain"), ("paid", "chat"), ("web", "plain"), ("web", "chat"), ("web", "passed-on")]
)
async def test_answer_is_charged_though_the_caller_has_left(player, warm: bool, model: str, shape: str) -> None:
    async with player(warm=warm) as played:
        site, secret = played.site, played.keys[0].secret
        await site.settled()
        await site.call(played.request(secret, model, "echo", shape))
        async with site.connection() as (_, writer):
            writer.write(played.request(secret, model, "hold", shape))
            await asyncio.wait_for(site.holding.wait(), 60)

        async def is_gone() -> bool:
            return not site.server._server.server_state.connections

        async def is_over() -> bool:
            return set(site.left().values()) == {0}

        await eventually(is_gone)
        for instance in site.instances:
            instance.release()
        await eventually(is_over)
        assert len(await site.world.usage()) == 2
        if warm:
            assert site.counted.begun == 1
