"""Callers that a gate does not know use none of its memory or slots, over any entry point."""

import asyncio

import pytest
from starlette.types import Message

from mlplace_kit.credentials import new_credential
from mlplace_kit.networks import subscriber_of
from mlplace_testing.waiting import eventually

CALL = "/api/mlpgateway/account/acme/model/ner"
PATHS = (
    f"{CALL}/predict",
    f"{CALL}/predict-with-config-v2-stream",
    f"{CALL}/ext",
    f"{CALL}/http/some/path",
    f"{CALL}/tts",
    "/p/acme/ner",
    "/api/adapters/openai/v1/chat/completions",
    "/api/adapters/openai/v1/audio/transcriptions",
)


class Unfinished:
    """Raw ASGI: a body that begins and never ends."""

    def __init__(self, path: str, headers: dict[str, str] | None = None, *, length: int | None = None) -> None:
        given = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
        if length is not None:
            given.append((b"content-length", str(length).encode()))
        self.scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": b"", "headers": given,
            "client": ("127.0.0.1", 5), "server": ("testserver", 80), "root_path": "", "state": {},
        }  # fmt: skip
        self.read = 0
        self.said: list[Message] = []

    async def receive(self) -> Message:
        self.read += 1
        if self.read > 1:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": b'{"a', "more_body": True}

    async def send(self, message: Message) -> None:
        self.said.append(message)


class TestWithoutCredential:
    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("length", [None, 64 * 1024 * 1024])
    async def test_request_is_refused_before_its_body_is_read(self, world, path: str, length: int | None) -> None:
        stranger = Unfinished(path, length=length)
        await asyncio.wait_for(world.app(stranger.scope, stranger.receive, stranger.send), 60)
        assert (stranger.said[0]["status"], stranger.read) == (401, 0)
        assert (world.components.admission.running, world.components.admission.held) == (0, 0)

    async def test_many_requests_take_nothing_from_others(self, open_world, kit) -> None:
        async with open_world(most_request_bytes=1000, most_calls=8) as world:
            world.instance()
            strangers = [Unfinished(f"{CALL}/predict", length=900) for _ in range(50)]
            hostile = [asyncio.create_task(world.app(s.scope, s.receive, s.send)) for s in strangers]
            answer = await world.predict(world.key())
            assert answer.status_code == 200
            await asyncio.gather(*hostile)


class TestWithAnInvalidKey:
    @pytest.mark.parametrize("path", PATHS)
    async def test_request_is_refused_before_its_body_is_read(self, world, path: str) -> None:
        key = {"MLP-API-KEY": new_credential(account_id=1, object_id=2).text}
        stranger = Unfinished(path, key, length=1000)
        await asyncio.wait_for(world.app(stranger.scope, stranger.receive, stranger.send), 60)
        assert (stranger.said[0]["status"], stranger.read) == (401, 0)

    async def test_lookups_per_address_are_limited(self, world, monkeypatch) -> None:
        """Callers with a known key are served meanwhile, even from that address."""
        world.instance()
        answered = asyncio.Event()

        async def slow(_caller: object) -> None:
            await answered.wait()
            raise AssertionError

        monkeypatch.setattr(world.components.entrance._authenticate, "caller", slow, raising=False)
        strangers = [
            Unfinished(f"{CALL}/predict", {"MLP-API-KEY": new_credential(account_id=1, object_id=n).text})
            for n in range(100)
        ]
        hostile = [asyncio.create_task(world.app(s.scope, s.receive, s.send)) for s in strangers]
        lookups = world.components.entrance.lookups
        await eventually(lambda: _value(sum(bool(s.said) for s in strangers) == 100 - lookups.most("127.0.0.1")))
        assert {s.said[0]["status"] for s in strangers if s.said} == {429}
        for task in hostile:
            task.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)
        assert lookups.used == 0


class TestAddress:
    def test_ipv6_address_counts_as_its_network(self) -> None:
        assert subscriber_of("2001:db8:1:2:3:4:5:6") == subscriber_of("2001:db8:1:2::1") == "2001:db8:1:2::/64"
        assert subscriber_of("2001:db8:1:3::1") != subscriber_of("2001:db8:1:2::1")
        assert subscriber_of("::ffff:192.0.2.7") == subscriber_of("192.0.2.7") == "192.0.2.7"
        assert subscriber_of("no address") == "no address"


async def _value(value: bool) -> bool:
    return value
