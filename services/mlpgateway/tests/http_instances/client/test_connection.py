"""The callback style: what a handler is told, and when the connection is free again."""

import asyncio

import pytest

from mlpgateway.instances.http.client.errors import ConnectionLostError, InvalidAnswerError
from mlpgateway.instances.http.client.limits import FEW_BYTES
from mlpgateway.instances.http.client.request import OutgoingRequest, head_of

OK = b"HTTP/1.1 200 OK\r\n"
SMALL = OK + b"Content-Length: 5\r\n\r\nhello"


async def answered(visit) -> None:
    while True:
        await visit.request()
        await visit.say(SMALL)


def head(pool, body: bytes = b"") -> bytes:
    return head_of(OutgoingRequest("POST", "/", (), body), pool.authority)


class TestCallbacks:
    def test_connection_is_free_when_the_end_is_told(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answered) as met:
                first, second = tools.Recorder(), tools.Recorder()

                def go_on() -> None:
                    again = met.pool.take()
                    assert again is connection
                    again.send(head(met.pool, b"x" * 20_000), b"x" * 20_000, second)

                first.on_end = go_on
                connection = await met.pool.connection()
                connection.send(head(met.pool), b"", first)
                await tools.until(lambda: second.over)
                for heard in (first, second):
                    assert (heard.status, heard.length, heard.body, heard.ended) == (200, 5, b"hello", 1)
                assert len(met.peer.visits) == 1

        run(test)

    def test_cancelled_exchange_tells_nothing_and_closes_the_connection(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answered) as met:
                heard = tools.Recorder()
                connection = await met.pool.connection()
                connection.send(head(met.pool), b"", heard)
                connection.cancel()
                await tools.until(lambda: len(met.pool) == 0)
                assert (heard.status, heard.over) == (0, False)

        run(test)

    def test_exchange_can_be_cancelled_from_its_own_callback(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 100_000 + b"0\r\n\r\n")
            await visit.gone()

        async def test() -> None:
            async with tools.meeting(script) as met:
                connection, parts = await met.pool.connection(), 0

                class Leaving(tools.Recorder):
                    def part(self, data: bytes) -> None:
                        nonlocal parts
                        super().part(data)
                        parts += 1
                        connection.cancel()

                heard = Leaving()
                connection.send(head(met.pool), b"", heard)
                await tools.until(lambda: len(met.pool) == 0)
                assert (parts, heard.over) == (1, False)

        run(test)

    @pytest.mark.parametrize(("answer", "kind"), [(b"", ConnectionLostError), (b"garbage\r\n\r\n", InvalidAnswerError)])
    def test_failure_is_told_once(self, run, tools, answer: bytes, kind: type[Exception]) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(answer)

        async def test() -> None:
            async with tools.meeting(script) as met:
                heard = tools.Recorder()
                (await met.pool.connection()).send(head(met.pool), b"", heard)
                await tools.until(lambda: heard.over)
                await tools.until(lambda: len(met.pool) == 0)
                assert (type(heard.error), heard.ended) == (kind, 0)

        run(test)

    def test_request_on_a_connection_lost_meanwhile_fails_in_the_next_turn(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answered) as met:
                heard = tools.Recorder()
                connection = await met.pool.connection()
                connection.close()
                await tools.until(lambda: len(met.pool) == 0)
                connection.send(head(met.pool), b"", heard)
                assert not heard.over
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                assert isinstance(heard.error, ConnectionLostError)

        run(test)

    def test_many_small_chunks_are_read_over_many_turns(self, run, tools) -> None:
        count = 200_000

        async def script(visit) -> None:
            await visit.request()
            await visit.say(OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * count + b"0\r\n\r\n")
            await visit.gone()

        async def test() -> None:
            async with tools.meeting(script) as met:
                heard = tools.Recorder()
                connection = await met.pool.connection()
                connection.send(head(met.pool), b"", heard)
                most = before = 0
                while not heard.over:
                    await asyncio.sleep(0)
                    most, before = max(most, len(heard.body) - before), len(heard.body)
                assert (heard.ended, len(heard.body)) == (1, count)
                assert most <= 5 * (FEW_BYTES // len(b"1\r\nx\r\n") + 1)
                assert met.pool.take() is connection
                connection.cancel()

        run(test)

    def test_connection_hears_the_next_answer_after_one_that_waited_for_its_turn(self, run, tools) -> None:
        async def script(visit) -> None:
            while True:
                await visit.request()
                await visit.say(OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 4_000 + b"0\r\n\r\n")

        async def test() -> None:
            async with tools.meeting(script) as met:
                for _ in range(3):
                    heard = tools.Recorder()
                    (met.pool.take() or await met.pool.connection()).send(head(met.pool), b"", heard)
                    await tools.until(lambda: heard.over)  # noqa: B023  awaited at once
                    assert (heard.ended, len(heard.body)) == (1, 4_000)
                assert len(met.peer.visits) == 1

        run(test)

    def test_bytes_behind_the_last_slice_of_an_answer_reach_no_other_request(self, run, tools) -> None:
        size = FEW_BYTES - len(b"3ff3\r\n\r\n0\r\n\r\n")
        chunks = b"%x\r\n" % size + b"x" * size + b"\r\n0\r\n\r\n"
        assert len(chunks) == FEW_BYTES

        async def test() -> None:
            async with tools.meeting(answered) as met:
                heard = tools.Recorder()
                connection = await met.pool.connection()
                connection.send(head(met.pool), b"", heard)
                connection.data_received(OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + SMALL)
                assert (heard.ended, len(heard.body)) == (1, size)
                assert met.pool.take() is None

        run(test)

    def test_handler_may_pause_and_cancel_between_chunks(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(OK + b"Transfer-Encoding: chunked\r\n\r\n")
            while True:  # until the gate closes the connection
                await visit.say(b"1\r\nx\r\n" * 10_000)

        async def test() -> None:
            async with tools.meeting(script) as met:
                heard = tools.Recorder()
                connection = await met.pool.connection()
                connection.send(head(met.pool), b"", heard)
                await tools.until(lambda: heard.body)
                for _ in range(3):
                    connection.pause_reading()
                    before = len(heard.body)
                    await asyncio.sleep(0.01)
                    assert len(heard.body) == before
                    connection.resume_reading()
                    await tools.until(lambda: len(heard.body) > before)  # noqa: B023  awaited at once
                connection.pause_reading()
                connection.cancel()
                connection.resume_reading()
                before = len(heard.body)
                await tools.until(lambda: len(met.pool) == 0)
                assert (len(heard.body), heard.over) == (before, False)

        run(test)

    def test_answer_that_the_gate_cuts_off_is_not_complete(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.request()
            await visit.say(OK + b"\r\nhalf")
            await visit.gone()

        async def test() -> None:
            async with tools.meeting(script) as met:
                heard = tools.Recorder()
                (await met.pool.connection()).send(head(met.pool), b"", heard)
                await tools.until(lambda: heard.body == b"half")
                met.pool.close()
                await tools.until(lambda: heard.over)
                assert (type(heard.error), heard.ended) == (ConnectionLostError, 0)

        run(test)

    def test_paused_answer_stops_the_instance(self, run, tools) -> None:
        async def test() -> None:
            sent = 0

            async def script(visit) -> None:
                nonlocal sent
                await visit.request()
                await visit.say(OK + b"Content-Length: 33554432\r\n\r\n")
                while sent < 2**25:
                    await visit.say(b"x" * 65536)
                    sent += 65536
                await visit.gone()

            async with tools.meeting(script) as met:
                heard = tools.Recorder()
                connection = await met.pool.connection()
                heard.on_head = connection.pause_reading
                connection.send(head(met.pool), b"", heard)
                await tools.until(lambda: heard.status)
                before = -1
                while sent != before:
                    before = sent
                    await asyncio.sleep(0.05)
                assert sent < 2**25
                connection.resume_reading()
                await tools.until(lambda: heard.over)
                assert len(heard.body) == 2**25
                assert met.pool.take() is connection
                connection.cancel()

        run(test)
