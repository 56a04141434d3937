"""Answers that are not JSON, or not whole, on the warm path and without it: none is a success, and none costs anything."""

import json

import pytest

from mlplace_gateproto import codes
from services.mlpgateway.tests.warm.http_instance import NO_JSON, UNFRAMED

WAYS = pytest.mark.parametrize("warm", [False, True])
WHOLE = ["unframed", "old-unframed"]
ERRORS = [
    *(("web", do) for do in [*NO_JSON, *UNFRAMED] if do not in WHOLE),
    *(("paid", do) for do in NO_JSON if do != "not-utf8"),  # the other protocol has no such texts
]


@pytest.fixture
def answer(player):
    """Calls the model for the second time: the first call makes it warm. Returns the status, the body and the usages."""

    async def asked(model: str, do: str, *, warm: bool) -> tuple[int, bytes, int]:
        async with player(warm=warm) as played:
            site = played.site
            await site.settled()
            key = played.keys[0].secret
            assert (await site.call(played.request(key, model, "echo", "plain"))).startswith(b"HTTP/1.1 200 ")
            head, _, body = (await site.call(played.request(key, model, do, "plain"))).partition(b"\r\n\r\n")
            assert set(site.left().values()) == {0}
            if warm:
                assert site.counted.begun == 1
            return int(head.split()[1]), body, len(await site.world.usage())

    return asked


@WAYS
@pytest.mark.parametrize(("model", "do"), ERRORS)
async def test_it_is_an_error_and_free(answer, model: str, do: str, warm: bool) -> None:
    status, body, usages = await answer(model, do, warm=warm)
    assert (status, json.loads(body)["code"], usages) == (502, codes.INTERNAL_ERROR, 1)


@WAYS
@pytest.mark.parametrize("do", WHOLE)
async def test_json_that_the_end_of_the_connection_ends_is_charged(answer, do: str, warm: bool) -> None:
    assert await answer("web", do, warm=warm) == (200, b'{"n":1}', 2)
