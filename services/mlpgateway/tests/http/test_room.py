"""Request bodies for which a gate has no memory."""

import asyncio

from starlette.types import Message

from mlplace_testing.waiting import eventually


class Caller:
    """A raw ASGI caller that announces a length and records whether its body is read."""

    def __init__(self, key: dict[str, str], *bodies: bytes, length: int | None) -> None:
        headers = [(name.lower().encode(), value.encode()) for name, value in key.items()]
        if length is not None:
            headers.append((b"content-length", str(length).encode()))
        path = "/api/mlpgateway/account/acme/model/ner/predict"
        self.scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers,
            "client": ("127.0.0.1", 5), "server": ("testserver", 80), "root_path": "", "state": {},
        }  # fmt: skip
        self._bodies = list(bodies)
        self.read = 0
        self.said: list[Message] = []

    async def receive(self) -> Message:
        if not self._bodies:
            await asyncio.Event().wait()
        self.read += 1
        body = self._bodies.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(self._bodies)}

    async def send(self, message: Message) -> None:
        self.said.append(message)

    @property
    def status(self) -> int:
        return self.said[0]["status"]


async def test_body_is_refused_before_it_is_read_or_once_it_is_too_large(open_world, kit) -> None:
    async with open_world(most_request_bytes=1000) as world:
        go = asyncio.Event()

        async def slow(request):
            await go.wait()
            async for answer in kit.echo(request):
                yield answer

        world.instance(slow)
        key, large = world.key(), b'"' + b"x" * 700 + b'"'
        first = Caller(key, large, length=len(large))
        serving = asyncio.create_task(world.app(first.scope, first.receive, first.send))
        await eventually(lambda: _held(world))

        again = Caller(key, large, length=len(large))
        await world.app(again.scope, again.receive, again.send)
        assert (again.status, again.read) == (429, 0)

        other = world.key(kit.OTHER)
        told = Caller(other, large, length=len(large))
        await world.app(told.scope, told.receive, told.send)
        assert (told.status, told.read) == (503, 0)
        assert (b"retry-after", b"1") in told.said[0]["headers"]

        untold = Caller(other, large[:100], large[100:500], large[500:], length=None)
        await world.app(untold.scope, untold.receive, untold.send)
        assert (untold.status, untold.read) == (503, 2)

        go.set()
        await serving
        small = Caller(key, b'"hi"', length=4)
        await world.app(small.scope, small.receive, small.send)
        assert small.status == 200
        assert first.status == 200
        assert world.components.admission.held == 0


async def _held(world) -> int:
    return world.components.admission.held


async def test_body_of_unknown_length_is_read_up_to_a_few_megabytes(world, kit) -> None:
    twin = world.instance(kit.says('"ok"'))
    piece, key = b" " * (1024 * 1024), world.key()
    large = Caller(key, *[piece] * 9, b"{}", length=None)
    await world.app(large.scope, large.receive, large.send)
    assert (large.status, large.read) == (413, 5)
    assert twin.requests == []

    told = Caller(key, *[piece] * 5, b"{}", length=5 * len(piece) + 2)
    await world.app(told.scope, told.receive, told.send)
    assert told.status == 200
