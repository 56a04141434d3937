"""TLS on the platform's event loop, whose implementation differs from asyncio's."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import grpc
import pytest
import uvloop

from mlpgateway.http2 import frames
from mlpgateway.http2.frames import Code
from mlplace_testing.certificates import certificate_for
from mlplace_testing.waiting import eventually

KEY = b"key-of-7"
LARGE = KEY + b"x" * (2 * 1024 * 1024)
LOOPS = [uvloop.new_event_loop, asyncio.new_event_loop]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    made = certificate_for("127.0.0.1")
    files = tmp_path / "server.crt", tmp_path / "server.key"
    files[0].write_text(made.certificate)
    files[1].write_text(made.key)
    return files


@pytest.fixture
def server_tls(files) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    context.set_alpn_protocols(["h2"])
    return context


@pytest.fixture
def client_tls(files) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=files[0])
    context.set_alpn_protocols(["h2"])
    return context


@pytest.fixture(params=LOOPS, ids=["uvloop", "asyncio"])
def run(request) -> Callable[[Callable[[], Awaitable[None]]], None]:
    def within(test: Callable[[], Awaitable[None]]) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(asyncio.wait_for(test(), 100))

    return within


class TestCalls:
    def test_large_message_passes_in_both_directions(self, run, serve, server_tls, files):
        def call(port: int) -> bytes:
            credentials = grpc.ssl_channel_credentials(files[0].read_bytes())
            with grpc.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
                return channel.unary_unary("/test.Test/echo")(LARGE, timeout=60)

        async def test() -> None:
            async with serve(tls=server_tls) as served:
                assert await asyncio.to_thread(call, served.port) == LARGE
                assert served.share.used == 0
                await eventually(lambda: _value(not served.server.connections))

        run(test)

    def test_violation_is_reported(self, run, serve, server_tls, client_tls, peers):
        async def test() -> None:
            async with serve(tls=server_tls) as served, peers.Peer(served.port, tls=client_tls) as peer:
                peer.greet()
                peer.write(frames.frame(frames.PING, 0, 0, b"12345678") * 2_000)
                assert await peer.goaway() is Code.ENHANCE_YOUR_CALM
                await peer.closed()

        run(test)

    def test_peer_that_reads_nothing_is_disconnected(self, run, serve, server_tls, client_tls, peers):
        short = {"unread_seconds": 0.3, "least_read_rate": 1_000_000_000}

        async def test() -> None:
            async with serve(tls=server_tls, **short) as served, peers.Peer(served.port, tls=client_tls) as peer:
                peer.greet(window=2**31 - 1)
                peer.write(frames.window_update(0, 2**30))
                number = peer.head()
                peer.message(number, KEY)
                await peer.until(frames.DATA, number)
                peer.stop_reading()
                with suppress(ConnectionError):  # the server disconnects in the end
                    for _ in range(1_000):
                        peer.message(number, b"x" * 16_000)
                        await peer.flush()
                        await asyncio.sleep(0.005)
                await eventually(lambda: _value(not served.server.connections))

        run(test)


class TestHandshakes:
    def test_new_one_replaces_the_oldest_unfinished_one_of_its_address(self, run, serve, server_tls, client_tls, peers):
        async def test() -> None:
            async with serve(tls=server_tls, unproven_of_address=3) as served, AsyncExitStack() as stack:
                mute = [await _connected(served.port) for _ in range(4)]
                for each in mute:
                    stack.callback(each.close)
                assert await _heard(mute[0]) == b""
                assert await _greeted(served.port, client_tls, peers)
                assert await _heard(mute[1]) == b""
                assert [_is_open(each) for each in mute[2:]] == [True, True]

        run(test)

    def test_full_server_ends_one_of_the_address_that_has_most(self, run, serve, server_tls, client_tls, peers):
        async def test() -> None:
            async with serve(tls=server_tls, unproven=3) as served, AsyncExitStack() as stack:
                sole = await _connected(served.port, address="127.0.0.2")
                many = [await _connected(served.port, address="127.0.0.3") for _ in range(2)]
                for each in (sole, *many):
                    stack.callback(each.close)
                assert await _greeted(served.port, client_tls, peers)
                assert await _heard(many[0]) == b""
                assert [_is_open(each) for each in (sole, many[1])] == [True, True]

        run(test)

    def test_peer_without_tls_harms_nobody(self, run, serve, server_tls, client_tls, peers):
        async def test() -> None:
            async with serve(tls=server_tls) as served:
                for _ in range(20):
                    plain = await _connected(served.port)
                    await asyncio.get_running_loop().sock_sendall(plain, b"GET / HTTP/1.1\r\n\r\n")
                    await _heard(plain)
                    plain.close()
                assert await _greeted(served.port, client_tls, peers)

        run(test)


async def _connected(port: int, address: str = "127.0.0.1") -> socket.socket:
    plain = socket.socket()
    plain.bind((address, 0))
    plain.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    return plain


async def _heard(plain: socket.socket) -> bytes:
    """Returns the first bytes; empty when the other side has closed."""
    try:
        return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(plain, 1), 60)
    except ConnectionError:
        return b""


def _is_open(plain: socket.socket) -> bool:
    try:
        plain.recv(1)
    except BlockingIOError:
        return True
    return False


async def _greeted(port: int, tls: ssl.SSLContext, peers) -> bool:
    try:
        async with peers.Peer(port, tls=tls) as peer:
            peer.greet()
            await peer.until(frames.SETTINGS)
    except (ConnectionError, asyncio.IncompleteReadError):
        return False
    return True


async def _value(value):
    return value
