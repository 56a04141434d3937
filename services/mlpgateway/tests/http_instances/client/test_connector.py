"""Connections go to checked addresses, in time, and over TLS only to a server that proves its name."""

import asyncio
import ssl
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

import pytest

from mlpgateway.egress.errors import AddressNotAllowed
from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.client import HttpClient
from mlpgateway.instances.http.client.errors import NotConnectedError
from mlpgateway.instances.http.client.exchange import exchange
from mlpgateway.instances.http.client.request import OutgoingRequest
from mlplace_testing.certificates import certificate_for
from mlplace_testing.sink import open_sink

GET = OutgoingRequest("GET", "/")


@dataclass(frozen=True, slots=True)
class SecureAddress(Address):
    """TLS at any port: tests may not bind 443."""

    @property
    def is_secure(self) -> bool:
        return True


def named(*addresses: str):
    async def look_up(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return look_up


@asynccontextmanager
async def client(tools, **about):
    made = HttpClient(about.pop("rules", tools.LOCAL), any_port=True, **about)
    try:
        yield made
    finally:
        await made.close()


class TestAddresses:
    def test_next_address_is_tried_when_one_does_not_answer(self, run, tools) -> None:
        async def test() -> None:
            async with open_sink() as sink, client(tools, look_up=named("127.0.0.9", "127.0.0.1")) as made:
                response = await exchange(made.pool(Address("ml.example.org", sink.port, trusted=False)), GET)
                await response.close()
                assert (response.status, sink.reached) == (204, ["127.0.0.1"])
                assert b"\r\nHost: ml.example.org:" in sink.requests[0]

        run(test)

    def test_address_is_checked_with_each_connection_also_without_a_name(self, run, tools) -> None:
        async def test() -> None:
            async with open_sink() as sink, client(tools, rules=EgressRules()) as made:
                with pytest.raises(AddressNotAllowed):
                    await exchange(made.pool(Address("127.0.0.1", sink.port, trusted=False)), GET)
                assert sink.connections == 0

        run(test)

    def test_mixed_addresses_are_refused(self, run, tools) -> None:
        async def test() -> None:
            rules = EgressRules([ip_network("127.0.0.1/32")])
            async with open_sink() as sink, client(tools, rules=rules, look_up=named("127.0.0.1", "10.0.0.1")) as made:
                with pytest.raises(AddressNotAllowed):
                    await exchange(made.pool(Address("ml.example.org", sink.port, trusted=False)), GET)
                assert sink.connections == 0

        run(test)

    def test_look_up_that_hangs_ends_in_time(self, run, tools) -> None:
        async def never(_host: str, _port: int) -> list[str]:
            await asyncio.Event().wait()
            return []

        async def test() -> None:
            async with client(tools, look_up=never) as made:
                pool = made.pool(Address("ml.example.org", 8000, trusted=False))
                with pytest.raises(NotConnectedError):
                    await exchange(pool, GET, connect_seconds=0.05)
                assert len(pool) == 0

        run(test)

    @pytest.mark.parametrize("found", [(), None])
    def test_unknown_name_is_not_connected(self, run, tools, found) -> None:
        async def unknown(_host: str, _port: int) -> list[str]:
            if found is None:
                raise OSError
            return []

        async def test() -> None:
            async with client(tools, look_up=unknown) as made:
                with pytest.raises(NotConnectedError):
                    await exchange(made.pool(Address("ml.example.org", 8000, trusted=False)), GET)

        run(test)


class TestTls:
    @pytest.fixture
    def server_tls(self, tmp_path: Path) -> ssl.SSLContext:
        made = certificate_for("ml.example.org")
        files = tmp_path / "server.crt", tmp_path / "server.key"
        files[0].write_text(made.certificate)
        files[1].write_text(made.key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
        return context

    @pytest.fixture
    def trust(self, server_tls, tmp_path: Path) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=tmp_path / "server.crt")

    def called(self, run, tools, server_tls, tls, name: str) -> list[str | None]:
        """Returns the server names of the handshakes that succeeded."""
        seen: list[str | None] = []
        server_tls.sni_callback = lambda _socket, asked, _context: seen.append(asked)

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + b"x" * 300_000)
            await reader.read()
            writer.close()

        async def test() -> None:
            server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_tls)
            async with server, client(tools, look_up=named("127.0.0.1"), tls=tls) as made:
                port = server.sockets[0].getsockname()[1]
                response = await exchange(made.pool(SecureAddress(name, port, trusted=False)), GET)
                assert len(await tools.body_of(response)) == 300_000

        run(test)
        return seen

    def test_server_with_the_right_certificate_is_called_by_its_name(self, run, tools, server_tls, trust) -> None:
        assert self.called(run, tools, server_tls, trust, "ml.example.org") == ["ml.example.org"]

    def test_certificate_of_another_name_is_refused(self, run, tools, server_tls, trust) -> None:
        with pytest.raises(NotConnectedError):
            self.called(run, tools, server_tls, trust, "other.example.org")

    def test_certificate_of_an_unknown_authority_is_refused(self, run, tools, server_tls) -> None:
        with pytest.raises(NotConnectedError):
            self.called(run, tools, server_tls, None, "ml.example.org")
