"""Look-ups of host names that tenants set."""

import asyncio
import contextlib
import logging
import socket
from collections import Counter
from threading import Event

import pytest

from mlpgateway.egress.look_ups import LookUps
from mlplace_testing.waiting import eventually


class Resolver:
    """A resolver that answers with the port when a test lets it."""

    def __init__(self) -> None:
        self.go = Event()
        self.asked = Counter[str]()
        self.error: Exception | None = None

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked[host] += 1
        self.go.wait(60)
        if self.error is not None:
            raise self.error
        return [f"127.0.0.{port}"]

    async def names(self) -> set[str]:
        return set(self.asked)


@pytest.fixture
def resolver():
    made = Resolver()
    yield made
    made.go.set()


async def left(task: asyncio.Task[list[str]]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_equal_ones_are_one(resolver) -> None:
    look_ups = LookUps(resolve=resolver)
    asking = [asyncio.create_task(look_ups.find("a", port)) for port in (1, 1, 2)]
    await eventually(resolver.names, until=lambda names: names == {"a"})
    resolver.go.set()
    assert await asyncio.gather(*asking) == [["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"]]
    assert resolver.asked["a"] == 2


async def test_one_that_has_ended_is_not_used_again(resolver) -> None:
    resolver.go.set()
    look_ups = LookUps(resolve=resolver)
    assert [await look_ups.find("a", port) for port in (1, 1)] == [["127.0.0.1"]] * 2
    assert resolver.asked["a"] == 2


async def test_threads_are_kept_by_names_without_an_answer_and_only_by_these(resolver) -> None:
    """A name whose callers have left while it waited for a thread is not looked up at all."""
    look_ups = LookUps(threads=2, resolve=resolver)
    slow = [asyncio.create_task(look_ups.find(name, 1)) for name in ("a", "b")]
    await eventually(resolver.names, until=lambda names: names == {"a", "b"})
    for task in slow:
        await left(task)
    given_up, waits = (asyncio.create_task(look_ups.find(name, 1)) for name in ("c", "d"))
    await asyncio.sleep(0)
    await left(given_up)
    resolver.go.set()
    assert await waits == ["127.0.0.1"]
    assert await look_ups.find("e", 1) == ["127.0.0.1"]
    assert set(resolver.asked) == {"a", "b", "d", "e"}


async def test_loop_has_its_threads_for_itself(resolver) -> None:
    """However many names of tenants wait, another name is looked up at once."""
    look_ups = LookUps(resolve=resolver)
    slow = [asyncio.create_task(look_ups.find(f"name{number}", 1)) for number in range(100)]
    await eventually(resolver.names, until=lambda names: len(names) == 64)
    assert await asyncio.get_running_loop().getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)
    resolver.go.set()
    await asyncio.gather(*slow)


async def test_failure_reaches_all_and_is_not_logged_when_nobody_waits(resolver, caplog) -> None:
    caplog.set_level(logging.ERROR)
    look_ups = LookUps(resolve=resolver)
    resolver.error = socket.gaierror("unknown")
    asking = [asyncio.create_task(look_ups.find("a", 1)) for _ in range(2)]
    gone = asyncio.create_task(look_ups.find("b", 1))
    await eventually(resolver.names, until=lambda names: names == {"a", "b"})
    await left(gone)
    resolver.go.set()
    assert [type(error) for error in await asyncio.gather(*asking, return_exceptions=True)] == [socket.gaierror] * 2
    resolver.error = None

    async def found() -> list[str] | None:
        """Asks anew. While the thread of the failure is late, this still gets it."""
        with contextlib.suppress(socket.gaierror):
            return await look_ups.find("b", 1)
        return None

    await eventually(found, until=lambda addresses: addresses == ["127.0.0.1"])
    assert caplog.records == []


async def test_unexpected_failure_gives_the_thread_back(resolver) -> None:
    look_ups = LookUps(threads=1, resolve=resolver)
    resolver.go.set()
    resolver.error = MemoryError()
    for _ in range(2):
        with pytest.raises(MemoryError):
            await look_ups.find("a", 1)


async def test_host_that_is_no_name_is_an_error_of_the_network() -> None:
    with pytest.raises(OSError, match="not a host name"):
        await LookUps().find("a" * 300, 1)
