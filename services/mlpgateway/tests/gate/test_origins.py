"""Whose X-Forwarded-For counts for a caller's address."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from mlpgateway.call.origins import Origins
from mlpgateway.settings import MlpgatewaySettings

PEER, CLAIMED = "10.0.0.1", "6.6.6.6"


class TestCaller:
    @pytest.mark.parametrize("proxies", [("10.0.0.1",), ("10.0.0.0/8",), ("*",), ("1.1.1.1", "10.0.0.1")])
    def test_proxies_are_believed(self, proxies: tuple[str, ...]) -> None:
        assert Origins(proxies, hops=1).caller(PEER, [CLAIMED]) == CLAIMED

    @pytest.mark.parametrize("proxies", [(), ("10.0.0.2",), ("11.0.0.0/8",), ("fd00::/8",), ("edge.invalid",)])
    def test_other_peers_are_not_believed(self, proxies: tuple[str, ...]) -> None:
        assert Origins(proxies, hops=1).caller(PEER, [CLAIMED]) == PEER

    @pytest.mark.parametrize(
        ("hops", "reported", "caller"),
        [
            (1, ["7.7.7.7, 6.6.6.6"], "6.6.6.6"),
            (2, ["7.7.7.7, 6.6.6.6"], "7.7.7.7"),
            (2, ["8.8.8.8,7.7.7.7", "6.6.6.6"], "7.7.7.7"),
            (2, ["6.6.6.6"], PEER),
            (0, ["6.6.6.6"], PEER),
            (1, [], PEER),
            (1, ["unknown"], PEER),
            (1, ["6.6.6.6:1234"], "6.6.6.6"),
            (1, ["[fd00::1]"], "fd00::1"),
            (1, ["[fd00::1]:1234"], "fd00::1"),
            (1, ["6.6.6.6:x"], PEER),
            (1, ["a.example:80"], PEER),
            (1, ["[fd00::1"], PEER),
            (1, ["6.6.6.6,"], PEER),
            (1, ["fd00::1"], "fd00::1"),
        ],
    )
    def test_only_entries_of_trusted_proxies_count(self, hops: int, reported: list[str], caller: str) -> None:
        assert Origins((PEER,), hops=hops).caller(PEER, reported) == caller

    async def test_host_name_stands_for_its_addresses_once_resolved(self) -> None:
        origins = Origins(("localhost", "edge.invalid"), hops=1)
        assert origins.caller("127.0.0.1", [CLAIMED]) == "127.0.0.1"
        await origins.look_up()
        for peer in ("127.0.0.1", "::ffff:127.0.0.1"):  # as a listener for both families shows it
            assert origins.caller(peer, [CLAIMED]) == CLAIMED
        assert origins.caller(PEER, [CLAIMED]) == PEER

    @pytest.mark.parametrize(
        "proxy",
        [
            "127.0.0.1/33",
            "::ffff:10.0.0.0/8",
            "fe80::1%eth0",
            "10.0.0.256",
            "10.0.0",
            "http://edge",
            "edge:80",
            "edge/",
            "ed ge",
        ],
    )
    def test_text_that_is_neither_address_nor_network_nor_name_is_refused(self, proxy: str) -> None:
        with pytest.raises(ValueError, match="neither an address nor a network nor a host name"):
            Origins((PEER, proxy), hops=1)


class TestGate:
    @pytest.mark.parametrize(("proxy", "believed"), [("localhost", True), ("10.9.9.9", False)])
    async def test_peer_at_the_gates_own_port_is_the_caller_unless_it_is_the_edge(
        self, run_gate, connect, request_of, proxy: str, believed: bool
    ) -> None:
        async with run_gate(origins=Origins((proxy,), hops=1)) as gate:
            stub = connect(gate.address)
            metadata = (("x-forwarded-for", CLAIMED),)
            await stub.process(request_of(), metadata=metadata)
            stream = stub.processResponseStream(request_of(), metadata=metadata)
            await stream.read()
            seen = {call.caller.client_ip for call in gate.handler.calls}
        assert len(gate.handler.calls) == 2
        assert seen == ({CLAIMED} if believed else {"127.0.0.1"})


class TestSettings:
    def test_hops_without_proxies_are_refused(self) -> None:
        with pytest.raises(ValueError, match="MLP_MLPGATEWAY_TRUSTED_HOPS needs MLP_MLPGATEWAY_TRUSTED_PROXIES"):
            MlpgatewaySettings(database_url="postgresql+asyncpg://h/d", usage_spool_dir=Path("x"), trusted_hops=1)

    def test_proxies_are_a_list(self) -> None:
        settings = MlpgatewaySettings(
            database_url="postgresql+asyncpg://h/d",
            usage_spool_dir=Path("x"),
            trusted_hops=1,
            trusted_proxies="edge, 10.0.0.0/8",
        )
        assert settings.proxies == ("edge", "10.0.0.0/8")

    def test_wrong_proxy_is_refused_by_the_name_of_its_field(self) -> None:
        with pytest.raises(ValidationError) as refused:
            MlpgatewaySettings(
                database_url="postgresql+asyncpg://h/d", usage_spool_dir=Path("x"), trusted_proxies="edge, 127.0.0.1/33"
            )
        (error,) = refused.value.errors()
        assert error["loc"] == ("trusted_proxies",)
        assert "127.0.0.1/33" in error["msg"]

    def test_drain_shorter_than_its_parts_is_refused(self) -> None:
        with pytest.raises(ValueError, match="MLP_MLPGATEWAY_DRAIN_SECONDS must be at least"):
            MlpgatewaySettings(
                database_url="postgresql+asyncpg://h/d",
                usage_spool_dir=Path("x"),
                drain_seconds=5,
                settle_seconds=3,
                connection_seconds=3,
            )
