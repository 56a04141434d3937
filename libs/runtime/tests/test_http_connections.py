"""Tests the limits of connections, and which connections are evicted for new ones."""

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import replace

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from mlplace_kit.errors import TooManyConnections, Unavailable
from mlplace_runtime.process.http.connections import Connections, CountedConnection
from mlplace_runtime.process.http.limits import HttpLimits
from mlplace_runtime.process.http.refusals import Reason
from mlplace_testing.raw_http import GET, PATIENT, Caller, Served, served
from mlplace_testing.waiting import eventually

LIMITS = HttpLimits(connections=40, connections_of_address=10)  # a reserve of 2
FEW = replace(PATIENT, connections=20, connections_of_address=100)  # a reserve of 1
HANDSHAKE = (
    b"GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
HEAD = b"GET /plain HTTP/1.1\r\nHost: x\r\n"


class One:
    """A connection as the registry sees it."""

    def __init__(self, idle: float | None = None, *, proved: bool = False) -> None:
        self.idle_seconds = idle
        self.proved = proved
        self.evicted = False

    def evict(self) -> None:
        self.evicted = True


class Registry:
    def __init__(self) -> None:
        self.time = 0.0
        self.all = Connections(LIMITS, lambda address: address == "10.0.0.1", seconds=lambda: self.time)

    def admit(self, one: One, address: str = "10.0.0.1") -> CountedConnection:
        counted = self.all.admit(one, address)
        assert isinstance(counted, CountedConnection)
        return counted

    def fill(self, size: int, idle: float | None = None, *, proved: bool = False) -> list[One]:
        """Adds connections of many addresses that have had their first request."""
        found = [One(idle, proved=proved) for _ in range(size)]
        for number, one in enumerate(found):
            self.all.settle(self.admit(one, f"10.1.0.{number}"))
        return found


@pytest.fixture
def registry() -> Registry:
    return Registry()


class TestOfAnAddress:
    def test_at_the_limit_the_oldest_fresh_connection_is_evicted(self, registry: Registry) -> None:
        ones = [One() for _ in range(11)]
        counted = [registry.admit(one, "10.0.0.2") for one in ones[:10]]
        registry.all.settle(counted[0])
        registry.admit(ones[10], "10.0.0.2")
        assert [one.evicted for one in ones] == [False, True] + [False] * 9

    def test_at_the_limit_with_requests_only_a_newcomer_is_refused(self, registry: Registry) -> None:
        counted = [registry.admit(One(), "10.0.0.2") for _ in range(10)]
        for each in counted:
            registry.all.settle(each)
        assert registry.all.admit(One(), "10.0.0.2") is Reason.CONNECTIONS_OF_ADDRESS
        registry.admit(One(), "10.0.0.3")
        registry.all.release(counted[0])
        registry.admit(One(), "10.0.0.2")

    def test_ipv6_addresses_of_one_64_network_count_together(self, registry: Registry) -> None:
        for number in range(10):
            registry.all.settle(registry.admit(One(), f"2001:db8:0:1::{number}"))
        assert registry.all.admit(One(), "2001:db8:0:1:ffff::1") is Reason.CONNECTIONS_OF_ADDRESS
        registry.admit(One(), "2001:db8:0:2::1")

    def test_an_ipv4_mapped_address_counts_as_ipv4(self, registry: Registry) -> None:
        for _ in range(10):
            registry.all.settle(registry.admit(One(), "10.0.0.2"))
        assert registry.all.admit(One(), "::ffff:10.0.0.2") is Reason.CONNECTIONS_OF_ADDRESS

    def test_a_trusted_proxy_has_no_limit_per_address(self, registry: Registry) -> None:
        for _ in range(30):
            registry.all.settle(registry.admit(One(), "10.0.0.1"))


class TestAltogether:
    def test_a_full_server_evicts_the_oldest_fresh_connection(self, registry: Registry) -> None:
        registry.fill(36, idle=5.0)
        fresh = [One(), One(), One()]
        for one in fresh:
            registry.admit(one)
        assert [one.evicted for one in fresh] == [True, False, False]

    def test_without_fresh_ones_the_longest_idle_connection_is_evicted(self, registry: Registry) -> None:
        busy, idle = registry.fill(34), registry.fill(4, idle=5.0)
        idle[2].idle_seconds = 9.0
        registry.all.settle(registry.admit(One()))
        assert [one.evicted for one in idle] == [False, False, True, False]
        assert not any(one.evicted for one in busy)

    def test_authenticated_connections_are_evicted_last(self, registry: Registry) -> None:
        registry.fill(34)
        known, unknown = registry.fill(3, idle=50.0, proved=True), registry.fill(1, idle=1.0)
        for one in (unknown[0], known[0]):
            assert not one.evicted
            registry.all.settle(registry.admit(One()))
        assert unknown[0].evicted

    def test_connections_in_use_stay_and_newcomers_use_the_reserve_until_it_is_full(self, registry: Registry) -> None:
        busy = registry.fill(38)
        assert registry.all.crowded
        for _ in range(2):
            registry.all.settle(registry.admit(One()))
        assert registry.all.admit(One(), "10.0.0.9") is Reason.CONNECTIONS
        assert not any(one.evicted for one in busy)

    def test_the_search_for_idle_connections_is_rate_limited(self, registry: Registry) -> None:
        busy = registry.fill(38)
        registry.all.settle(registry.admit(One()))
        busy[0].idle_seconds = 1.0
        registry.all.settle(registry.admit(One()))
        assert not busy[0].evicted
        registry.time = 1.0
        registry.all.settle(registry.admit(One()))
        assert busy[0].evicted

    def test_released_connections_are_not_counted(self, registry: Registry) -> None:
        counted = [registry.admit(One(), f"10.2.0.{n}") for n in range(38)]
        for each in [*counted, counted[0]]:
            registry.all.release(each)
        assert (len(registry.all), registry.all.crowded) == (0, False)


class TestServer:
    async def test_slow_heads_neither_block_newcomers_nor_end_requests_in_progress(self) -> None:
        async with served(FEW) as server, AsyncExitStack() as stack:
            busy = await stack.enter_async_context(server.caller())
            busy.say(b"GET /wait HTTP/1.1\r\nHost: x\r\nMLP-API-KEY: k\r\n\r\n")
            async with asyncio.timeout(60):
                await server.app.started.wait()
            slow = [await stack.enter_async_context(server.caller("127.0.0.2")) for _ in range(60)]
            for each in slow:
                each.say(HEAD)
            newcomer = await stack.enter_async_context(server.caller("127.0.0.3"))
            newcomer.say(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await newcomer.hear() == (200, b"ok")
            server.app.let.set()
            assert await busy.hear() == (200, b"ok")

    async def test_the_reserve_serves_only_health_checks_and_credentials(self) -> None:
        async with served(FEW) as server, AsyncExitStack() as stack:
            for _ in range(19):
                caller = await stack.enter_async_context(server.caller())
                caller.say(b"GET /wait HTTP/1.1\r\nHost: x\r\nCookie: a=b\r\n\r\n")
            await eventually(lambda: _value(len(server.app.seen) == 19))
            for head, status in {
                HEAD: Unavailable.status,
                b"GET /health/ready HTTP/1.1\r\nHost: x\r\n": 200,
                HEAD + b"MLP-API-KEY: key\r\n": 200,
            }.items():
                async with server.caller("127.0.0.2") as newcomer:
                    newcomer.say(head + b"\r\n")
                    assert (await newcomer.hear())[0] == status
                    assert await newcomer.rest() == b"", "its place is for others now"

    async def test_an_authenticated_caller_keeps_its_connection(self) -> None:
        async with served(FEW) as server, AsyncExitStack() as stack:
            known = await stack.enter_async_context(server.caller("127.0.0.2"))
            known.say(b"GET /proved HTTP/1.1\r\nHost: x\r\n\r\n")
            await known.hear()
            for _ in range(40):
                idle = await stack.enter_async_context(server.caller())
                idle.say(GET)
                with suppress(asyncio.IncompleteReadError, ConnectionError):
                    await idle.hear()
            known.say(GET)
            assert await known.hear() == (200, b"ok")

    async def test_an_address_over_its_limit_gets_429(self) -> None:
        limits = replace(PATIENT, connections_of_address=3)
        async with served(limits) as server, AsyncExitStack() as stack:
            for _ in range(3):
                caller = await stack.enter_async_context(server.caller())
                caller.say(GET)
                await caller.hear()
            async with server.caller() as another:
                assert await another.refused() == (TooManyConnections.status, TooManyConnections.code)
            async with server.caller("127.0.0.2") as bystander:
                bystander.say(GET)
                assert await bystander.hear() == (200, b"ok")

    async def test_a_trusted_proxy_may_have_any_number(self) -> None:
        limits = replace(PATIENT, connections_of_address=3)
        async with served(limits, trusted_proxies="127.0.0.1") as server, AsyncExitStack() as stack:
            for _ in range(9):
                caller = await stack.enter_async_context(server.caller())
                caller.say(GET)
                assert await caller.hear() == (200, b"ok")

    async def test_a_closed_connection_frees_its_seat(self) -> None:
        limits = replace(PATIENT, connections_of_address=1)
        async with served(limits) as server:
            for _ in range(5):
                await eventually(lambda: _answers(server.caller()))


class TestWebSocket:
    async def test_keeps_its_seat_until_it_ends(self) -> None:
        limits = replace(PATIENT, connections_of_address=1)
        async with served(limits) as server:
            for _ in range(3):
                async with connect(f"ws://127.0.0.1:{server.port}/socket", proxy=None) as socket:
                    await socket.send("a")
                    assert await socket.recv() == "a"
                    async with server.caller() as another:
                        assert (await another.refused())[0] == TooManyConnections.status
                await eventually(lambda: _answers(server.caller()))

    async def test_a_message_of_too_many_frames_ends_it(self) -> None:
        async with served() as server, connect(f"ws://127.0.0.1:{server.port}/socket", proxy=None) as socket:
            with suppress(ConnectionClosed):
                await socket.send(_nothing(), text=True)
            await socket.wait_closed()
            assert socket.close_code == 1009

    async def test_data_sent_during_the_handshake_is_not_a_request(self) -> None:
        async with served() as server, server.caller() as caller:
            caller.say(HANDSHAKE + GET * 5_000)
            assert (await caller.rest()).count(b"HTTP/1.1") == 1
        assert [scope["type"] for scope in server.app.seen] == ["websocket"]

    @pytest.mark.parametrize(
        "lines",
        {
            "a cookie of ten kilobytes": b"Cookie: " + b"a" * 10_000 + b"\r\n",
            "many fields": b"".join(b"X-%d: a\r\n" % number for number in range(90)),
            "a letter beyond ASCII": b"X-A: \xe9\r\n",
            "an empty body": b"Content-Length: 0\r\n",
        }.values(),
    )
    async def test_begins_with_whatever_a_head_may_hold(self, lines: bytes) -> None:
        head = HANDSHAKE.removesuffix(b"\r\n") + lines
        async with served() as server, server.caller() as caller:
            caller.say(head + b"\r\n")
            assert (await caller.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
            (scope,) = server.app.seen
            names = [name for name, _ in scope["headers"]]
            assert (scope["path"], len(names)) == ("/socket", head.count(b"\r\n") - 1)
            assert {value for name, value in scope["headers"] if name == b"x-a"} <= {b"\xe9"}

    async def test_its_address_may_be_long_and_name_the_host(self) -> None:
        long = b"/socket?a=" + b"b" * 12_000
        async with served() as server, server.caller() as caller:
            caller.say(HANDSHAKE.replace(b"/socket", b"http://x" + long, 1))
            assert (await caller.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
            (scope,) = server.app.seen
            assert (scope["path"], scope["raw_path"] + b"?" + scope["query_string"]) == ("/socket", long)

    @pytest.mark.parametrize(
        ("head", "body"),
        [
            (HANDSHAKE.replace(b"\r\n\r\n", b"\r\nContent-Length: 5\r\n\r\n"), b"abcde"),
            (HANDSHAKE.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n"), b"1\r\na\r\n0\r\n\r\n"),
            (HANDSHAKE.replace(b"GET", b"POST", 1), b""),
        ],
        ids=["length", "chunks", "post"],
    )
    async def test_a_handshake_that_is_none_is_a_request_of_http(self, head: bytes, body: bytes) -> None:
        async with served() as server, server.caller() as caller:
            caller.say(head + body)
            assert await caller.hear() == (200, b"ok")
            caller.say(GET)
            assert await caller.hear() == (200, b"ok")
        assert [scope["type"] for scope in server.app.seen] == ["http", "http"]

    async def test_handshake_behind_a_request_leaves_its_connection_alone(self) -> None:
        async with served() as server, server.caller() as caller:
            caller.say(GET)
            assert await caller.hear() == (200, b"ok")
            caller.say(HANDSHAKE.replace(b"Upgrade\r\n", b"Upgrade, close\r\n", 1))
            assert (await caller.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")

    async def test_a_flood_of_pings_ends_it(self) -> None:
        async with served() as server, server.caller() as caller:
            caller.say(HANDSHAKE)
            assert (await caller.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
            sent = 0
            while not caller.is_over and sent < 1_000_000:
                caller.say((b"\x89\xfd" + bytes(4) + b"x" * 125) * 100)
                await caller.all_sent()
                await asyncio.sleep(0)
                sent += 100
            assert sent < 1_000_000

    async def test_regular_pings_do_not_end_it(self) -> None:
        async with served() as server, connect(f"ws://127.0.0.1:{server.port}/socket", proxy=None) as socket:
            for _ in range(10):
                for _ in range(100):
                    await (await socket.ping())
                server.server.look(1.0)
            await socket.send("a")
            assert await socket.recv() == "a"

    async def test_a_peer_that_does_not_read_is_cut_off(self) -> None:
        async with served() as server, server.caller() as caller:
            caller.say(HANDSHAKE)
            assert (await caller.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
            text = b"\x81\xff" + (1 << 20).to_bytes(8, "big") + bytes(4) + b"x" * (1 << 20)
            with suppress(TimeoutError):
                for _ in range(64):
                    caller.say(text)
                    async with asyncio.timeout(1):
                        await caller.writer.drain()
            await eventually(lambda: _gone_after_a_look(server), seconds=60)


class TestDescriptors:
    def test_a_process_without_free_descriptors_neither_spins_nor_stops_serving(self) -> None:
        done = subprocess.run(
            [sys.executable, "-c", _OUT_OF_FILES], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        found = re.search(r"spent (\S+) served (\w+) limit (\d+)", done.stdout)
        assert found, done.stdout
        assert float(found[1]) < 1.0
        assert found[2] == "True"


_OUT_OF_FILES = """
import asyncio, os, resource, socket, time
import uvloop
from mlplace_runtime.process.http.limits import HttpLimits
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer

async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})

async def main():
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = HttpServer(app, listener, limits=HttpLimits(head_seconds=2.0))
    await server.start()
    callers = [socket.socket() for _ in range(200)]
    for caller in callers:
        caller.setblocking(False)
    spare = [os.dup(0) for _ in range(40)]
    top = max(spare)
    resource.setrlimit(resource.RLIMIT_NOFILE, (top + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    for each in spare[:20]:
        os.close(each)
    for caller in callers[:100]:
        caller.connect_ex(("127.0.0.1", port))
    began = time.process_time()
    await asyncio.sleep(1.5)
    spent = time.process_time() - began
    for caller in callers[:100]:
        caller.close()
    last = callers[150]
    last.setblocking(True)
    last.settimeout(60)
    def ask():
        last.connect(("127.0.0.1", port))
        last.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
        return last.recv(15) == b"HTTP/1.1 200 OK"
    print("spent", round(spent, 3), "served", await asyncio.to_thread(ask), "limit", top + 1, flush=True)
    os._exit(0)

uvloop.run(main())
"""


async def _nothing() -> AsyncGenerator[str]:
    for _ in range(20_000):
        yield ""


async def _answers(opening: AbstractAsyncContextManager[Caller]) -> bool:
    async with opening as caller:
        caller.say(GET)
        try:
            return (await caller.hear())[0] == 200
        except (asyncio.IncompleteReadError, ConnectionError):
            return False


async def _gone_after_a_look(server: Served) -> bool:
    server.server.look(1.0)
    return server.app.ended == ["socket"]


async def _value(value: object) -> object:
    return value
