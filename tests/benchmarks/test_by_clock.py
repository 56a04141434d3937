"""The open-loop load sends calls when they are due and records the result of each call."""

import asyncio
import socket
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from benchmarks.load.by_clock import Arrivals, Call
from mlplace_testing.waiting import eventually

REQUEST = b"GET / HTTP/1.1\r\nhost: test\r\n\r\n"
GOOD = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
FULL_BODY = b'{"code": "mlp.gate.queue_full"}'
FULL = b"HTTP/1.1 503 Busy\r\nRetry-After: 1\r\ncontent-length: %d\r\n\r\n%b" % (len(FULL_BODY), FULL_BODY)
GONE = b""


@asynccontextmanager
async def answering(answer: Callable[[int], bytes], hold: asyncio.Event | None = None) -> AsyncGenerator[int]:
    """A server that answers its n-th request with `answer(n)`; an empty answer closes the connection.

    Yields its port.
    """
    requests = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal requests
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                requests += 1
                text = answer(requests)
                if hold is not None:
                    await hold.wait()
                if not text:
                    return
                writer.write(text)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def arrived(arrivals: Arrivals, least: int) -> None:
    """Run it until `least` calls were sent, then stop it."""
    running = asyncio.create_task(arrivals.run())

    async def are_enough() -> bool:
        return len(arrivals.calls) >= least

    await eventually(are_enough, seconds=60)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


class TestArrivals:
    async def test_sends_calls_while_earlier_ones_wait(self) -> None:
        hold = asyncio.Event()
        async with answering(lambda _: GOOD, hold) as port:
            arrivals = Arrivals(port, REQUEST, per_second=200)
            await arrived(arrivals, 20)
            hold.set()
            await arrivals.rest(60)
        assert all(call.good and call.seconds > 0 for call in arrivals.calls)

    async def test_calls_are_due_at_an_even_pace(self) -> None:
        async with answering(lambda _: GOOD) as port:
            arrivals = Arrivals(port, REQUEST, per_second=100)
            await arrived(arrivals, 5)
            await arrivals.rest(60)
        dues = [call.due for call in arrivals.calls]
        assert all(later - sooner == pytest.approx(0.01) for sooner, later in pairwise(dues))

    async def test_records_the_code_and_retry_time_of_a_refusal(self) -> None:
        async with answering(lambda number: GOOD if number == 1 else FULL) as port:
            arrivals = Arrivals(port, REQUEST, per_second=100)
            began = time.perf_counter()
            await arrived(arrivals, 5)
            await arrivals.rest(60)
        assert arrivals.first_refusal.is_set()
        refused = arrivals.refused_since(began)
        assert len(refused) == len(arrivals.calls) - 1
        assert {(call.status, call.code, call.retry_after) for call in refused} == {(503, "mlp.gate.queue_full", "1")}
        assert arrivals.refused_since(time.perf_counter()) == []

    async def test_a_lost_connection_leaves_its_call_without_an_answer(self) -> None:
        async with answering(lambda number: GONE if number == 1 else GOOD) as port:
            arrivals = Arrivals(port, REQUEST, per_second=100)
            await arrived(arrivals, 5)
            await arrivals.rest(60)
        lost = [call for call in arrivals.calls if not call.good]
        assert [call.status for call in lost] == [0]
        assert lost[0].code.startswith("connection lost")

    async def test_records_failures_to_connect(self) -> None:
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            arrivals = Arrivals(silent.getsockname()[1], REQUEST, per_second=100)
            await arrived(arrivals, 2)
            await arrivals.rest(60)
        assert all(call.code.startswith("not connected") for call in arrivals.calls)

    async def test_records_calls_without_an_answer(self) -> None:
        hold = asyncio.Event()
        async with answering(lambda _: GOOD, hold) as port:
            arrivals = Arrivals(port, REQUEST, per_second=100)
            await arrived(arrivals, 2)
            await arrivals.rest(0.1)
            hold.set()
        assert {call.status for call in arrivals.calls} == {0}


class TestCall:
    @pytest.mark.parametrize(
        ("status", "retry_after", "proper"),
        [(503, "1", True), (429, "30", True), (503, "", False), (503, "0", False), (500, "1", False), (0, "", False)],
    )
    def test_a_proper_refusal_is_temporary_and_says_when_to_retry(
        self, status: int, retry_after: str, *, proper: bool
    ) -> None:
        assert Call(0.0, status=status, retry_after=retry_after).refused_properly is proper
