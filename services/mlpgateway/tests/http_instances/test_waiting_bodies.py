"""Callers of HTTP interfaces who leave while their bodies wait at the gate, in whichever shape the bodies come."""

import asyncio
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

import pytest

from mlpgateway.entry.sockets.incoming import AHEAD_BYTES, IncomingRequest
from mlpgateway.errors.shares import ShareExceeded
from mlpgateway.shares.admission import Admission, Capacity
from mlplace_contracts.events import ModelPriorityQueue, ModelTimeouts
from mlplace_kit.errors import DomainError, MalformedRequest, PayloadTooLarge
from mlplace_testing.waiting import eventually

MIB = 1024 * 1024
PATIENT = ModelTimeouts(pod_start=600, predict=600, fit=600)


class Caller:
    """Sends a request by hand, over a connection of its own."""

    def __init__(self, over_wire, framing: str) -> None:
        self._over_wire = over_wire
        key = over_wire.world.key()["MLP-API-KEY"]
        path = over_wire.base.split("/", 3)[3]
        length = "Transfer-Encoding: chunked" if framing == "chunked" else f"Content-Length: {framing}"
        self._head = f"POST /{path}/count HTTP/1.1\r\nHost: a\r\nMLP-API-KEY: {key}\r\n{length}\r\n\r\n".encode()
        self._chunked = framing == "chunked"

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._over_wire.port)
        self._writer.write(self._head)

    async def send(self, data: bytes) -> None:
        self._writer.write(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)
        await self._writer.drain()

    async def end(self) -> None:
        if self._chunked:
            self._writer.write(b"0\r\n\r\n")
            await self._writer.drain()

    async def answer(self) -> bytes:
        return await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), 60)

    def leave(self) -> None:
        self._writer.close()


@pytest.fixture
async def busy(over_wire, kit, tools, instance):
    """The model's only slot is taken. Returns its queue."""
    queue = ModelPriorityQueue(enabled=True, concurrency=1)
    over_wire.world.know(kit.model_changed(http=tools.HTTP, priority_queue=queue, timeouts=PATIENT))
    held = asyncio.create_task(over_wire.client.get(f"{over_wire.base}/held", headers=over_wire.world.key()))
    await tools.until(lambda: instance.holding == 1)
    yield over_wire.world.components.queues.http
    held.cancel()
    await asyncio.gather(held, return_exceptions=True)


class TestCallerLeaves:
    @pytest.mark.parametrize("framing", ["20000", "chunked", "30000"], ids=["whole", "chunked", "incomplete"])
    async def test_caller_in_the_queue_leaves_it(self, over_wire, busy, tools, framing: str) -> None:
        """The body comes in two reads, the second once the call waits."""
        admission, caller = over_wire.world.components.admission, Caller(over_wire, framing)
        await caller.open()
        await caller.send(bytes(10_000))
        await tools.until(lambda: busy.waiting == 1)
        await caller.send(bytes(10_000))
        await tools.until(lambda: admission.held == 20_000)
        if framing == "chunked":
            await caller.end()
        caller.leave()
        await tools.until(lambda: busy.waiting == 0)
        await tools.until(lambda: admission.running == 1)
        assert admission.held == 0

    @pytest.mark.parametrize("framing", ["20000", "chunked"])
    async def test_caller_who_waits_for_a_start_ends_the_call(
        self, over_wire, kit, tools, instance, framing: str
    ) -> None:
        world = over_wire.world
        about = {"reject_if_inactive": False, "hosting_type": "HOSTING_SERVER", "timeouts": PATIENT}
        world.know(kit.model_changed(http=tools.HTTP, **about))
        await instance.runner.cleanup()
        await tools.until(lambda: not world.components.http_instances.of_model(500))
        caller = Caller(over_wire, framing)
        await caller.open()
        await caller.send(bytes(10_000))
        await tools.until(lambda: world.components.queues.http.waiting == 1)
        await caller.send(bytes(5000))
        caller.leave()
        await tools.until(lambda: not world.components.admission.running)
        assert world.components.queues.http.waiting == 0

    @pytest.mark.parametrize("framing", ["2097152", "chunked"])
    async def test_body_beyond_the_bound_stays_with_the_caller_and_arrives_whole(
        self, over_wire, busy, tools, instance, framing: str
    ) -> None:
        admission, caller = over_wire.world.components.admission, Caller(over_wire, framing)
        await caller.open()
        sending = asyncio.create_task(self._send(caller))
        await tools.until(lambda: admission.held >= AHEAD_BYTES)
        await asyncio.wait([sending], timeout=0.2)
        assert admission.held < 2 * AHEAD_BYTES
        instance.go_on.set()
        await sending
        assert (await caller.answer()).startswith(b"HTTP/1.1 200 ")
        assert instance.bodies == 32 * 65536
        caller.leave()

    async def _send(self, caller: Caller) -> None:
        for _ in range(32):
            await caller.send(bytes(65536))
        await caller.end()


class Body:
    """What the server says, message by message."""

    def __init__(self, *pieces: bytes, error: DomainError | None = None) -> None:
        self.messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
        self.error = error
        self.ends = asyncio.Event()

    async def is_read(self) -> bool:
        return not self.messages

    async def receive(self) -> dict[str, object]:
        if self.messages:
            return self.messages.pop(0)
        if self.error is not None:
            raise self.error
        await self.ends.wait()
        return {"type": "http.disconnect"}


async def begun(body: Body, entry: Any) -> IncomingRequest:
    incoming = await IncomingRequest.begin(body.receive, entry)
    assert incoming is not None
    return incoming


class TestReading:
    async def test_caller_who_leaves_while_the_instance_does_not_read_ends_the_block(self) -> None:
        body, reached = Body(b"a", b"b", b"c"), asyncio.Event()

        async def run() -> None:
            with Admission().enter(1) as entry:
                incoming = await begun(body, entry)
                with incoming:
                    async with aclosing(incoming.parts()) as parts:
                        await anext(parts)
                        body.ends.set()
                        await asyncio.Event().wait()
            reached.set()

        await asyncio.wait_for(run(), 60)
        assert reached.is_set()

    @pytest.mark.parametrize("late", [False, True], ids=["at once", "after a wait"])
    async def test_error_comes_behind_the_pieces_before_it(self, late: bool) -> None:
        body, got = Body(b"a", b"b", error=PayloadTooLarge(limit="2")), []

        async def read(incoming: IncomingRequest) -> None:
            async for part in incoming.parts():
                got.append(part.protobuf)  # noqa: PERF401  what came before the error counts

        with Admission().enter(1) as entry:
            incoming = await begun(body, entry)
            with incoming:
                if late:
                    incoming._read_ahead()
                    assert incoming._reader is not None
                    await asyncio.wait([incoming._reader])
                with pytest.raises(PayloadTooLarge):
                    await read(incoming)
        assert b"".join(got) == b"ab"

    async def test_short_memory_leaves_the_rest_with_the_caller(self) -> None:
        pieces, got = [bytes(100_000)] * 90, []
        body = Body(*pieces)
        body.messages[-1]["more_body"] = False
        admission = Admission(Capacity(size=12 * MIB))  # a quarter of it for each account
        with admission.enter(1) as other, admission.enter(1) as entry:
            other.holds(3 * MIB - 150_000)
            incoming = await begun(body, entry)
            with incoming:
                async for part in incoming.parts():
                    await asyncio.sleep(0)
                    got.append(part.protobuf)
        assert got == pieces

    async def test_piece_for_which_there_is_no_memory_is_an_error(self) -> None:
        admission = Admission(Capacity(size=12 * MIB))
        with admission.enter(1) as other, admission.enter(1) as entry:
            other.holds(3 * MIB)
            with pytest.raises(ShareExceeded):
                await begun(Body(b"a"), entry)

    async def test_small_pieces_are_joined_while_they_wait(self) -> None:
        body = Body(*[b"ab"] * 10_000)
        with Admission().enter(1) as entry:
            incoming = await begun(body, entry)
            with incoming:
                incoming._read_ahead()
                await eventually(body.is_read)
                assert len(incoming._pieces) < 10
                assert b"".join(incoming._pieces) == b"ab" * 10_000

    async def test_reader_of_a_broken_body_gets_an_error(self) -> None:
        body, entry = Body(b"a"), SimpleNamespace(holds=lambda _: None, has_room=lambda _: True, lets_go=lambda _: None)
        incoming = await begun(body, entry)
        body.ends.set()
        parts = incoming.parts()
        await anext(parts)
        with pytest.raises(MalformedRequest):
            await anext(parts)
