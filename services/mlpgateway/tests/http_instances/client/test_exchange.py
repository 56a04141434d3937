"""Requests and answers over a real socket: what arrives, what fails, and the one safe repetition."""

import asyncio
import gc

import pytest

from mlpgateway.instances.http.client.errors import ConnectionLostError, InvalidAnswerError, InvalidRequestError
from mlpgateway.instances.http.client.exchange import exchange
from mlpgateway.instances.http.client.request import OutgoingRequest

GET = OutgoingRequest("GET", "/", repeatable=True)
POST = OutgoingRequest("POST", "/", (("A", "1"),), b"body")
OK = b"HTTP/1.1 200 OK\r\n"
SMALL = OK + b"Content-Length: 5\r\n\r\nhello"


async def answered(visit) -> None:
    while True:
        await visit.request()
        await visit.say(SMALL)


class TestExchange:
    def test_request_arrives_as_given_and_the_answer_comes_back(self, run, tools) -> None:
        seen = []

        async def script(visit) -> None:
            seen.append(await visit.request())
            await visit.say(OK + b"Content-Type: Text/X; charset=a\r\nContent-Length: 5\r\n\r\nhello")

        async def test() -> None:
            async with tools.meeting(script) as met:
                response = await exchange(met.pool, POST)
                assert (response.status, response.length) == (200, 5)
                assert await tools.body_of(response) == b"hello"
                assert seen[0].startswith(b"POST / HTTP/1.1\r\nHost: 127.0.0.1:")
                assert seen[0].endswith(b"\r\nA: 1\r\nContent-Length: 4\r\n\r\nbody")

        run(test)

    @pytest.mark.parametrize(
        "answer",
        [
            SMALL, OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", OK + b"\r\nhello",
            b"HTTP/1.1 100 Continue\r\n\r\n" + SMALL,
        ],
        ids=["length", "chunks", "until closed", "interim"],
    )  # fmt: skip
    @pytest.mark.parametrize("size", [1, 3, 1000])
    def test_answer_is_the_same_in_any_segments(self, run, tools, answer: bytes, size: int) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say_slowly(answer, size)

        async def test() -> None:
            async with tools.meeting(script) as met:
                assert await tools.body_of(await exchange(met.pool, GET)) == b"hello"

        run(test)

    def test_bytes_pass_unchanged_also_when_compressed(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(OK + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x00\xff")

        async def test() -> None:
            async with tools.meeting(script) as met:
                assert await tools.body_of(await exchange(met.pool, GET)) == b"\x1f\x8b\x00\xff"

        run(test)

    def test_proxies_of_the_environment_are_not_used(self, run, tools, monkeypatch) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")

        async def test() -> None:
            async with tools.meeting(answered) as met:
                assert await tools.body_of(await exchange(met.pool, GET)) == b"hello"

        run(test)

    def test_answer_to_head_leaves_the_connection_usable(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(OK + b"Content-Length: 5\r\n\r\n")
            await answered(visit)

        async def test() -> None:
            async with tools.meeting(script) as met:
                response = await exchange(met.pool, OutgoingRequest("HEAD", "/"))
                assert (await tools.body_of(response), response.length) == (b"", 0)
                assert await tools.body_of(await exchange(met.pool, GET)) == b"hello"
                assert len(met.peer.visits) == 1

        run(test)


async def closes_when_used_again(visit) -> None:
    """Answers once. It then closes the first connection when its next request arrives, without a byte."""
    await visit.request()
    await visit.say(SMALL)
    await visit.request()
    if visit.number:
        await visit.say(SMALL)


class TestStaleConnection:
    def test_repeatable_request_is_sent_again_once(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(closes_when_used_again) as met:
                for _ in range(2):
                    assert await tools.body_of(await exchange(met.pool, GET)) == b"hello"
                assert len(met.peer.visits) == 2

        run(test)

    @pytest.mark.parametrize("request_", [POST, OutgoingRequest("PUT", "/", (), b"x"), OutgoingRequest("DELETE", "/")])
    def test_other_request_is_not(self, run, tools, request_: OutgoingRequest) -> None:
        async def test() -> None:
            async with tools.meeting(closes_when_used_again) as met:
                await tools.body_of(await exchange(met.pool, GET))
                with pytest.raises(ConnectionLostError) as lost:
                    await exchange(met.pool, request_)
                assert (lost.value.is_stale, len(met.peer.visits)) == (True, 1)

        run(test)

    def test_nothing_is_sent_again_after_a_byte_of_an_answer(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(SMALL)
            await visit.request()
            await visit.say(b"H")

        async def test() -> None:
            async with tools.meeting(script) as met:
                await tools.body_of(await exchange(met.pool, GET))
                with pytest.raises(ConnectionLostError) as lost:
                    await exchange(met.pool, GET)
                assert (lost.value.is_stale, len(met.peer.visits)) == (False, 1)

        run(test)

    def test_nothing_is_sent_again_on_a_new_connection(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.request()

        async def test() -> None:
            async with tools.meeting(script) as met:
                with pytest.raises(ConnectionLostError) as lost:
                    await exchange(met.pool, GET)
                assert (lost.value.is_stale, len(met.peer.visits)) == (False, 1)

        run(test)


class TestFailures:
    @pytest.mark.parametrize(
        "begun",
        [
            b"",
            b"HTTP/1.1 2",
            OK + b"Content-Length: 5\r\n\r\nhell",
            OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello",
        ],
    )
    @pytest.mark.parametrize("how", ["end", "reset"])
    def test_answer_that_breaks_off_is_a_lost_connection(self, run, tools, begun: bytes, how: str) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(begun)
            if how == "reset":
                visit.writer.transport.abort()

        async def test() -> None:
            async with tools.meeting(script) as met:
                with pytest.raises(ConnectionLostError):
                    await tools.body_of(await exchange(met.pool, GET))

        run(test)

    @pytest.mark.parametrize(
        "answer",
        [
            b"garbage\r\n\r\n", b"\0" * 100_000, OK + b"A: b\r\n c: d\r\n\r\n", b"HTTP/1.1 103 Hints\r\n\r\n" * 1000,
            OK + b"A: " + b"b" * 10**6, OK + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            OK + b"Transfer-Encoding: chunked\r\n\r\nz\r\n", OK + b"A: b\r\n" * 1000 + b"\r\n",
        ],
        ids=["garbage", "zeros", "folded", "interim", "endless", "two lengths", "chunk", "headers"],
    )  # fmt: skip
    def test_invalid_answer_ends_the_connection(self, run, tools, answer: bytes) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(answer)
            await visit.gone()

        async def test() -> None:
            async with tools.meeting(script) as met:
                with pytest.raises(InvalidAnswerError):
                    await tools.body_of(await exchange(met.pool, GET))
                await tools.until(lambda: len(met.pool) == 0)

        run(test)

    def test_second_answer_reaches_no_other_request(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(SMALL + (SMALL.replace(b"hello", b"wrong") if not visit.number else b""))
            await visit.gone()

        async def test() -> None:
            async with tools.meeting(script) as met:
                for _ in range(2):
                    assert await tools.body_of(await exchange(met.pool, POST)) == b"hello"
                assert len(met.peer.visits) == 2

        run(test)

    @pytest.mark.parametrize("answer", [b"", OK + b"Content-Length: 5\r\n\r\nhell", OK + b"\r\n"])
    def test_cancelled_request_ends_at_the_instance(self, run, tools, answer: bytes) -> None:
        async def test() -> None:
            left = asyncio.Event()

            async def script(visit) -> None:
                await visit.request()
                await visit.say(answer)
                await visit.gone()
                left.set()

            async def ask() -> None:
                response = await exchange(met.pool, GET)
                try:
                    while await response.piece():
                        pass
                finally:
                    await response.close()

            async with tools.meeting(script) as met:
                asking = asyncio.create_task(ask())
                await tools.until(lambda: met.peer.visits)
                await asyncio.sleep(0.02)
                asking.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await asking
                await asyncio.wait_for(left.wait(), 60)

        run(test)

    def test_request_that_is_invalid_opens_no_connection(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answered) as met:
                with pytest.raises(InvalidRequestError):
                    await exchange(met.pool, OutgoingRequest("GET", "/a b"))
                assert met.peer.visits == []

        run(test)


class TestLeftovers:
    def test_calls_leave_no_reference_cycles(self, run, tools) -> None:
        async def script(visit) -> None:
            while True:
                await visit.request()
                await visit.say(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")

        async def test() -> None:
            async with tools.meeting(script) as met:
                for _ in range(3):
                    await tools.body_of(await exchange(met.pool, GET))
                gc.collect()
                gc.disable()
                try:
                    for _ in range(200):
                        await tools.body_of(await exchange(met.pool, GET))
                    assert gc.collect() < 100
                finally:
                    gc.enable()

        run(test)
