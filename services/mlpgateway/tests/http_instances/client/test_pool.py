"""Which connection a request gets, how many there are, and when they are closed."""

import asyncio

import pytest

from mlpgateway.instances.http.client.errors import ConnectionLostError, NotConnectedError
from mlpgateway.instances.http.client.exchange import exchange
from mlpgateway.instances.http.client.request import OutgoingRequest

EMPTY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
GET = OutgoingRequest("GET", "/")


async def answers(visit) -> None:
    while True:
        await visit.request()
        await visit.say(EMPTY)


async def get(pool, **about) -> int:
    response = await exchange(pool, GET, **about)
    await response.close()
    return response.status


class Held:
    """Answers each request when `go_on` is released."""

    def __init__(self) -> None:
        self.waiting = 0
        self.go_on = asyncio.Semaphore(0)

    async def __call__(self, visit) -> None:
        while True:
            await visit.request()
            self.waiting += 1
            await self.go_on.acquire()
            self.waiting -= 1
            await visit.say(EMPTY)


class TestReuse:
    def test_pool_tells_whether_it_has_an_idle_connection(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers) as met:
                assert not met.pool.has_idle
                await get(met.pool)
                assert met.pool.has_idle
                taken = met.pool.take()
                assert taken is not None
                assert not met.pool.has_idle
                taken.cancel()
                await get(met.pool)
                met.pool._idle[-1].close()
                assert not met.pool.has_idle, "a closed one is no idle one"
                assert met.pool.take() is None

        run(test)

    def test_requests_one_after_the_other_use_one_connection(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers) as met:
                assert [await get(met.pool) for _ in range(5)] == [200] * 5
                assert (len(met.peer.visits), len(met.pool)) == (1, 1)

        run(test)

    def test_last_used_connection_is_first(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers) as met:
                first, second = await met.pool.connection(), await met.pool.connection()
                met.pool.released(first)
                met.pool.released(second)
                assert met.pool.take() is second
                assert met.pool.take() is first
                assert met.pool.take() is None
                first.cancel()
                second.cancel()

        run(test)

    def test_idle_connection_is_closed_in_time(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers, idle_seconds=2.0) as met:
                first, second = await met.pool.connection(), await met.pool.connection()
                met.pool.released(first)
                await asyncio.sleep(1.0)
                met.pool.released(second)
                await tools.until(lambda: len(met.pool) == 1)
                assert (first.is_open, second.is_open) == (False, True)
                await tools.until(lambda: len(met.pool) == 0)
                assert met.pool._timer is None

        run(test)

    @pytest.mark.parametrize("data", [b"x", EMPTY, b""], ids=["byte", "answer", "end"])
    def test_idle_connection_on_which_something_arrives_is_closed(self, run, tools, data: bytes) -> None:
        async def visited(visit) -> None:
            await visit.request()
            await visit.say(EMPTY)
            if data:
                await visit.say(data)
                await visit.gone()
            elif visit.writer.can_write_eof():
                visit.writer.write_eof()
                await visit.gone()

        async def test() -> None:
            async with tools.meeting(visited) as met:
                assert await get(met.pool) == 200
                await tools.until(lambda: len(met.pool) == 0)
                assert met.pool.take() is None

        run(test)


class TestLimit:
    def test_requests_beyond_the_limit_wait_in_order(self, run, tools) -> None:
        async def test() -> None:
            held, order = Held(), []

            async def ask(number: int) -> None:
                await get(met.pool)
                order.append(number)

            async with tools.meeting(held, connections=2) as met:
                asking = []
                for number in range(6):
                    asking.append(asyncio.create_task(ask(number)))
                    await asyncio.sleep(0)
                await tools.until(lambda: held.waiting == 2)
                assert (len(met.peer.visits), met.pool.take()) == (2, None)
                for done in range(6):
                    held.go_on.release()
                    await tools.until(lambda done=done: len(order) == done + 1)
                await asyncio.gather(*asking)
                assert sorted(order[:2]) + sorted(order[2:4]) + sorted(order[4:]) == list(range(6))
                assert len(met.peer.visits) == 2

        run(test)

    def test_new_request_does_not_overtake_a_waiting_one(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers, connections=1) as met:
                connection = await met.pool.connection()
                waiting = asyncio.create_task(met.pool.connection())
                await asyncio.sleep(0)
                met.pool.released(connection)
                assert met.pool.take() is None
                assert await waiting is connection
                connection.cancel()

        run(test)

    def test_lost_connection_makes_room_for_the_next_request(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers, connections=1) as met:
                connection = await met.pool.connection()
                waiting = asyncio.create_task(get(met.pool))
                await asyncio.sleep(0)
                connection.cancel()
                assert await waiting == 200
                assert len(met.peer.visits) == 2

        run(test)

    def test_connection_lost_while_it_is_handed_over_is_replaced(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers, connections=1) as met:
                connection = await met.pool.connection()
                waiting = asyncio.create_task(get(met.pool))
                await asyncio.sleep(0)
                met.pool.released(connection)
                connection.close()
                assert await waiting == 200

        run(test)

    @pytest.mark.parametrize("granted", [None, "room", "connection"])
    def test_cancelled_wait_leaves_its_turn_to_the_next(self, run, tools, granted) -> None:
        async def test() -> None:
            async with tools.meeting(answers, connections=1) as met:
                connection = await met.pool.connection()
                first, second = (asyncio.create_task(get(met.pool)) for _ in range(2))
                await asyncio.sleep(0)
                if granted == "connection":
                    met.pool.released(connection)
                elif granted == "room":
                    connection.close()
                    met.pool.lost(connection)  # what the event loop tells the pool later
                first.cancel()
                if granted is None:
                    met.pool.released(connection)
                assert await second == 200
                assert len(met.pool) == 1
                with pytest.raises(asyncio.CancelledError):
                    await first

        run(test)

    def test_health_check_does_not_wait(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers, connections=1) as met:
                connection = await met.pool.connection()
                waiting = asyncio.create_task(get(met.pool))
                await asyncio.sleep(0)
                assert await get(met.pool, urgent=True) == 200
                assert await waiting == 200
                connection.cancel()

        run(test)

    def test_refused_connection_makes_room(self, run, tools) -> None:
        async def test() -> None:
            async with tools.meeting(answers, connections=1) as met:
                refused = met.client.pool(type(met.address)("127.0.0.1", 1, trusted=True))
                found = await asyncio.gather(*(get(refused) for _ in range(3)), return_exceptions=True)
                assert [type(error) for error in found] == [NotConnectedError] * 3
                assert len(refused) == 0

        run(test)


class TestEnd:
    def test_retired_pool_finishes_its_requests_and_takes_no_others(self, run, tools) -> None:
        async def test() -> None:
            held = Held()
            async with tools.meeting(held, connections=1) as met:
                running, waiting = (asyncio.create_task(get(met.pool)) for _ in range(2))
                await tools.until(lambda: held.waiting == 1)
                met.pool.retire()
                held.go_on.release()
                assert await running == 200
                with pytest.raises(NotConnectedError):
                    await waiting
                with pytest.raises(NotConnectedError):
                    await get(met.pool)
                await tools.until(lambda: len(met.pool) == 0)

        run(test)

    def test_closed_client_ends_requests_in_progress(self, run, tools) -> None:
        async def test() -> None:
            held = Held()
            async with tools.meeting(held) as met:
                running = asyncio.create_task(get(met.pool))
                await tools.until(lambda: held.waiting == 1)
                await met.client.close()
                with pytest.raises(ConnectionLostError):
                    await running
                held.go_on.release()

        run(test)
