"""An instance that refuses a WebSocket: its status, headers and text reach the caller as those of a request do."""

import gzip
import json
from typing import Final

import pytest

from mlpgateway.call.error_bodies import MOST_BYTES
from mlpgateway.instances.http import socket_client

HANDSHAKE: Final = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
JSON: Final = ("application/json", json.dumps({"code": "own.busy", "message": "all GPUs are in use"}).encode())
TEXT: Final = ("text/plain; charset=utf-8", "занято".encode())


@pytest.fixture
def refused(over_wire):
    """Asks for a WebSocket that the instance refuses. Returns the status, the headers and the body."""

    async def asked(headers: dict[str, str] | None = None):
        given = {**over_wire.world.key(), **(HANDSHAKE if headers is None else headers)}
        async with over_wire.client.get(f"{over_wire.base}/refusing", headers=given) as answer:
            return answer.status, answer.headers, await answer.read()

    return asked


class TestBody:
    @pytest.mark.parametrize("says", [JSON, TEXT], ids=["JSON", "text"])
    async def test_caller_gets_what_a_request_gets(self, refused, over_wire, instance, kit, tools, says) -> None:
        over_wire.world.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        instance.says, instance.headers = says, {"Z-Own": "x", "Set-Cookie": "a=b"}
        for headers in (HANDSHAKE, {}):
            status, told, body = await refused(headers)
            assert (status, told["Retry-After"], told["Content-Type"], body) == (429, "7", *says)
            assert (told["Z-Own"], "Set-Cookie" in told) == ("x", False)
            assert told["Content-Security-Policy"].startswith("sandbox")
        assert await over_wire.world.usage() == []

    async def test_coded_body_stays_as_it_is(self, refused, instance) -> None:
        instance.says, instance.headers = ("text/plain", gzip.compress(b"busy")), {"Content-Encoding": "gzip"}
        _, told, body = await refused()
        assert (told["Content-Encoding"], body) == ("gzip", b"busy"), "the client decodes it"

    async def test_body_may_have_the_size_of_the_bound(self, refused, instance) -> None:
        instance.says = ("text/plain", b"x" * MOST_BYTES)
        _, _, body = await refused()
        assert body == instance.says[1]


class TestBounds:
    @pytest.fixture
    def left_out(self, refused, instance):
        async def asked() -> None:
            status, told, body = await refused()
            assert (status, told["Retry-After"], body) == (429, "7", b"")
            assert "Content-Encoding" not in told

        instance.headers = {"Content-Encoding": "x-own"}
        return asked

    @pytest.mark.parametrize("hangs", [False, True], ids=["ends", "has no end"])
    async def test_larger_body_is_left_out(self, left_out, instance, monkeypatch, hangs) -> None:
        monkeypatch.setattr(socket_client, "_BODY_SECONDS", 3600.0)
        instance.says, instance.hangs = ("text/plain", b"x" * (MOST_BYTES + 1)), hangs
        await left_out()

    async def test_late_body_is_left_out_and_its_connection_closed(
        self, left_out, instance, tools, monkeypatch
    ) -> None:
        monkeypatch.setattr(socket_client, "_BODY_SECONDS", 0.1)
        instance.says, instance.hangs = ("text/plain", b"begun"), True
        await left_out()
        await tools.until(instance.cancelled.is_set)
