"""Handshakes of WebSockets at the adapters' addresses, where there are none."""

from collections.abc import Sequence

import orjson
import pytest
from starlette.types import ASGIApp, Message, Scope


async def shaken(app: ASGIApp, path: str, headers: Sequence[tuple[bytes, bytes]] = ()) -> tuple[Message, bytes]:
    """Returns the start and the body of the answer to a handshake."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {
        "type": "websocket", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "headers": [(b"host", b"x"), *headers], "subprotocols": [], "client": ("127.0.0.1", 1), "scheme": "ws",
        "extensions": {"websocket.http.response": {}},
    }  # fmt: skip
    await app(scope, receive, send)
    start, *bodies = sent
    return start, b"".join(message["body"] for message in bodies)


class TestRefusal:
    @pytest.mark.parametrize("path", ["v1/realtime", "chat/completions", "models", "models/acme/ner"])
    async def test_handshake_is_refused_in_openai_error_format(self, world, path) -> None:
        start, body = await shaken(world.app, f"/api/adapters/openai/{path}")
        assert (start["type"], start["status"]) == ("websocket.http.response.start", 404)
        headers = dict(start["headers"])
        assert headers[b"x-request-id"] == headers[b"z-requestid"]
        assert orjson.loads(body)["error"]["code"] == "mlp.core.route_not_found"

    async def test_handshake_of_another_site_is_refused_in_openai_error_format(self, world) -> None:
        event, secret = world.key_event(allowed_origins=("https://one.example",))
        world.know(event)
        headers = [(b"mlp-api-key", secret.encode()), (b"origin", b"https://two.example")]
        start, body = await shaken(world.app, "/api/adapters/openai/v1/realtime", headers)
        assert start["status"] == 403
        assert orjson.loads(body)["error"]["code"] == "mlp.gate.origin_not_allowed"

    async def test_handshake_at_speech_is_refused_in_the_common_format(self, world) -> None:
        start, body = await shaken(world.app, "/api/adapters/tts")
        assert (start["status"], orjson.loads(body)["code"]) == (404, "mlp.core.route_not_found")
