"""Internal addresses in tenants' settings: no connection reaches a server that counts them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from ipaddress import ip_network

import pytest
from pydantic import ValidationError

from mlpgateway.egress.client import Egress, open_egress
from mlpgateway.egress.errors import AddressNotAllowed, AddressUnreachable
from mlpgateway.egress.rules import EgressRules
from mlpgateway.settings import MlpgatewaySettings
from mlplace_testing.addresses import THIS_HOST
from mlplace_testing.sink import Sink, open_sink

INSIDE = (
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1",
    "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:a00:1::", "fc00::1", "fd00:ec2::254", "fe80::1",
    "fe80::1%eth0", "fec0::1", "ff02::1", "nonsense", "",
)  # fmt: skip
OUTSIDE = ("1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8")


@pytest.fixture
async def sink() -> AsyncGenerator[Sink]:
    async with open_sink() as made:
        yield made


@pytest.fixture
async def egress() -> AsyncGenerator[Egress]:
    async with open_egress(EgressRules()) as made:
        yield made


async def post(egress: Egress, url: str) -> int:
    async with egress.post(url, data=b"{}", headers={}, seconds=30) as answer:
        return answer.status


class TestTheDeniedHost:
    @pytest.mark.parametrize("figures", THIS_HOST)
    async def test_host_is_refused_in_every_notation(self, egress, sink, figures) -> None:
        with pytest.raises((AddressNotAllowed, AddressUnreachable)):
            await post(egress, f"http://{figures}:{sink.port}/")
        assert sink.connections == 0

    @pytest.mark.parametrize(
        "host", ["2130706433", "0177.0.0.1", "127.1", "0x7f.1", "0x", "1.2.3.4.", "8.8.8.08", "a.1"]
    )
    async def test_ambiguous_number_is_refused_without_a_lookup(self, egress, host) -> None:
        with pytest.raises(AddressNotAllowed):
            egress.check_host(host)

    @pytest.mark.parametrize("host", ["8.8.8.8", "2606:4700:4700::1111", "1.example.org", "0xa.example", "example.a1"])
    async def test_names_and_public_addresses_pass(self, egress, host) -> None:
        egress.check_host(host)

    @pytest.mark.parametrize("scheme", ["file", "ftp", "gopher", "ws", "dict", "", "javascript"])
    async def test_other_protocols_are_refused(self, egress, sink, scheme) -> None:
        with pytest.raises(AddressNotAllowed):
            await post(egress, f"{scheme}://127.0.0.1:{sink.port}/")
        assert sink.connections == 0

    @pytest.mark.parametrize(
        "url",
        [
            "http://example.org@127.0.0.1:{port}/", "http://127.0.0.1:{port}@example.org/", "http://:x@1.1.1.1:{port}/",
            "http://1.1.1.1:22/", "http://1.1.1.1:0/", "http://1.1.1.1:99999/", "http:///", "http://", "x", "",
            "http://1.1.1.1:{port}/\r\nX: y", "//127.0.0.1:{port}/", "http://exa mple.org/",
        ],
    )  # fmt: skip
    async def test_url_that_parsers_read_differently_is_refused(self, egress, sink, url) -> None:
        with pytest.raises(AddressNotAllowed):
            await post(egress, url.format(port=sink.port))
        assert sink.connections == 0


class Names:
    """A tenant's name server that gives a different answer each time."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers)
        self.asked = 0

    async def __call__(self, _host: str, _port: int) -> list[str]:
        self.asked += 1
        return self._answers[min(self.asked, len(self._answers)) - 1]


class TestNames:
    @pytest.mark.parametrize(
        "inside", [["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::ffff:127.0.0.1"], ["169.254.169.254"]]
    )
    async def test_name_with_any_internal_address_is_refused(self, sink, inside) -> None:
        async with open_egress(EgressRules(), Names(inside)) as egress:
            with pytest.raises(AddressNotAllowed):
                await post(egress, f"http://tenant.example:{sink.port}/")
        assert sink.connections == 0

    async def test_changing_name_reaches_only_the_checked_address(self, sink) -> None:
        """The checked address is the one that is called: no second look-up can give another answer."""
        names = Names(["127.0.0.2"], ["127.0.0.1"])
        async with open_egress(EgressRules([ip_network("127.0.0.2/32")]), names) as egress:
            with pytest.raises(AddressUnreachable):
                await post(egress, f"http://tenant.example:{sink.port}/")
        assert (names.asked, sink.connections) == (1, 0)

    async def test_name_is_checked_again_for_each_request(self, sink) -> None:
        names = Names(["127.0.0.1"], ["10.0.0.1"])
        async with open_egress(EgressRules([ip_network("127.0.0.1/32")]), names) as egress:
            assert await post(egress, f"http://tenant.example:{sink.port}/") == 204
            with pytest.raises(AddressNotAllowed):
                await post(egress, f"http://tenant.example:{sink.port}/")
        assert sink.connections == 1

    async def test_unknown_name_is_unreachable(self) -> None:
        async def unknown(_host: str, _port: int) -> list[str]:
            raise OSError

        async with open_egress(EgressRules(), unknown) as egress:
            with pytest.raises(AddressUnreachable):
                await post(egress, "http://tenant.example/")


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    async def test_redirect_is_an_ordinary_answer(self, sink, status) -> None:
        outside = Sink()
        async with await asyncio.start_server(outside.serve, "127.0.0.2", 0) as server:
            port = server.sockets[0].getsockname()[1]
            where = f"http://127.0.0.1:{sink.port}/"
            outside.answer = f"HTTP/1.1 {status} Go\r\nLocation: {where}\r\nContent-Length: 0\r\n\r\n".encode()
            async with open_egress(EgressRules([ip_network("127.0.0.2/32")])) as egress:
                assert await post(egress, f"http://127.0.0.2:{port}/") == status
        assert (outside.connections, sink.connections) == (1, 0)


class TestRules:
    @pytest.mark.parametrize("address", INSIDE)
    def test_internal_address_is_denied(self, address) -> None:
        assert not EgressRules().permits(address)

    @pytest.mark.parametrize("address", OUTSIDE)
    def test_public_address_is_permitted(self, address) -> None:
        assert EgressRules().permits(address)

    def test_operator_can_allow_a_network(self) -> None:
        rules = EgressRules([ip_network("10.1.0.0/16")])
        assert rules.permits("10.1.2.3")
        assert rules.permits("::ffff:10.1.2.3")
        assert not rules.permits("10.2.0.1")

    @pytest.mark.parametrize("field", ["egress_allowed_networks", "instance_networks"])
    def test_operator_may_write_it_as_mapped_addresses(self, field: str) -> None:
        settings = _settings(**{field: "::ffff:10.1.0.0/112, 10.3.0.0/16"})
        rules = EgressRules(settings.egress_networks or settings.hosting_networks)
        assert rules.permits("10.1.2.3")
        assert rules.permits("::ffff:10.1.2.3")
        assert rules.permits("10.3.9.9")
        assert not rules.permits("10.2.0.1")

    @pytest.mark.parametrize("field", ["egress_allowed_networks", "instance_networks"])
    @pytest.mark.parametrize("text", ["10.1.0.0/33", "10.0.0.5/8", "::ffff:10.0.0.0/8", "fe80::1%eth0", "host"])
    def test_network_of_no_host_is_refused_by_the_name_of_its_field(self, field: str, text: str) -> None:
        with pytest.raises(ValidationError) as refused:
            _settings(**{field: f"127.0.0.1,{text}"})
        (error,) = refused.value.errors()
        assert error["loc"] == (field,)
        assert text.partition("%")[0] in error["msg"]


def _settings(**given: str) -> MlpgatewaySettings:
    return MlpgatewaySettings.model_validate(
        {"database_url": "postgresql+asyncpg://h/d", "usage_spool_dir": "x", **given}
    )


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class TestAnswers:
    async def test_silent_server_is_unreachable_after_the_timeout(self) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
            async with open_egress(EgressRules([ip_network("127.0.0.1/32")])) as egress:
                with pytest.raises(AddressUnreachable):
                    async with egress.post(url, data=b"", headers={}, seconds=0.05):
                        pass

    async def test_request_carries_nothing_of_the_platform(self, sink, monkeypatch) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        async with open_egress(EgressRules([ip_network("127.0.0.1/32")])) as egress:
            assert await post(egress, f"http://127.0.0.1:{sink.port}/a?b=c") == 204
        (request,) = sink.requests
        assert request.startswith(b"POST /a?b=c HTTP/1.1\r\n")
        assert b"cookie" not in request.lower()
        assert b"authorization" not in request.lower()
