from ipaddress import ip_network

import pytest

from mlplace_kit.networks import (
    contains,
    is_address,
    is_host_name,
    network_of,
    network_of_hosts,
    subscriber_of,
    without_port,
)

NETWORKS = [ip_network("10.0.0.0/8"), ip_network("192.0.2.7/32"), ip_network("2001:db8::/32")]


class TestNetworkOf:
    @pytest.mark.parametrize(
        ("text", "network"),
        [
            (" 10.1.2.3/8 ", "10.0.0.0/8"),
            ("192.0.2.7", "192.0.2.7/32"),
            ("2001:db8::1/32", "2001:db8::/32"),
            ("::ffff:127.0.0.1", "127.0.0.1/32"),
            ("::ffff:10.1.2.3/104", "10.0.0.0/8"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            ("::/0", "::/0"),
        ],
    )
    def test_network_has_one_spelling(self, text: str, network: str) -> None:
        assert network_of(text) == ip_network(network)

    @pytest.mark.parametrize("text", ["", "nobody", "10.0.0.0/33", "010.0.0.1", "::ffff:10.0.0.1/129"])
    def test_anything_else_is_no_network(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"does not appear"):
            network_of(text)

    def test_mapped_network_contains_the_address_in_both_spellings(self) -> None:
        for address in ("127.0.0.1", "::ffff:127.0.0.1", "::ffff:7f00:1"):
            assert contains([network_of("::ffff:127.0.0.1")], address)


class TestNetworkOfHosts:
    @pytest.mark.parametrize(
        "text", ["10.1.2.3/8", "::ffff:127.0.0.1", "::ffff:10.1.2.3/104", "::/0", "::1", "2001:db8::/32"]
    )
    def test_network_of_hosts_that_exist(self, text: str) -> None:
        assert network_of_hosts(text) == network_of(text)

    @pytest.mark.parametrize(
        "text", ["::ffff:127.0.0.1/24", "::ffff:0:0/95", "::127.0.0.1", "::7f00:1", " ::192.0.2.0/120 ", "fe80::1%eth0"]
    )
    def test_network_of_no_host(self, text: str) -> None:
        with pytest.raises(ValueError, match="no host has"):
            network_of_hosts(text)


class TestIsHostName:
    @pytest.mark.parametrize("text", ["edge", "edge.example.org.", "my_proxy-1", "EDGE", "4you.example", "a" * 63])
    def test_name(self, text: str) -> None:
        assert is_host_name(text)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "127.0.0.1/33",
            "300.1.1.1",
            "10.0.0",
            "10",
            "a/b",
            "a:80",
            "http://a",
            "-a",
            "a..b",
            "a b",
            "a" * 64,
            "é",
        ],
    )
    def test_no_name(self, text: str) -> None:
        assert not is_host_name(text)


class TestContains:
    @pytest.mark.parametrize(
        ("address", "inside"),
        [
            ("10.255.0.1", True),
            ("11.0.0.1", False),
            ("192.0.2.7", True),
            ("192.0.2.8", False),
            ("2001:db8::1", True),
            ("2001:db9::1", False),
            ("::ffff:10.0.0.1", True),
            ("::ffff:11.0.0.1", False),
            ("", False),
            ("nobody", False),
            ("010.0.0.1", False),
        ],
    )
    def test_an_address_is_in_its_networks_only(self, address: str, *, inside: bool) -> None:
        assert contains(NETWORKS, address) is inside

    def test_empty_list_contains_no_address(self) -> None:
        assert not contains([], "10.0.0.1")


class TestIsAddress:
    @pytest.mark.parametrize("text", ["192.0.2.7", "2001:db8::1", "::ffff:192.0.2.7", "fe80::1"])
    def test_address_is_one(self, text: str) -> None:
        assert is_address(text)

    @pytest.mark.parametrize("text", ["", "nobody", "192.0.2.0/24", "fe80::1%eth0", "fe80::1%1", "010.0.0.1"])
    def test_name_network_and_address_with_a_zone_are_none(self, text: str) -> None:
        assert not is_address(text)


class TestSubscriber:
    @pytest.mark.parametrize(
        ("address", "subscriber"),
        [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
            ("testclient", "testclient"),
            ("", "unknown"),
        ],
    )
    def test_is_one_address_or_one_network_of_ipv6(self, address: str, subscriber: str) -> None:
        assert subscriber_of(address) == subscriber


class TestWithoutPort:
    @pytest.mark.parametrize(
        ("text", "address"),
        [
            ("192.0.2.1:80", "192.0.2.1"),
            ("[2001:db8::1]:80", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("192.0.2.1", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("a.example:80", "a.example:80"),
            ("192.0.2.1:", "192.0.2.1:"),
            ("[2001:db8::1]80", "[2001:db8::1]80"),
        ],
    )
    def test_address_stays(self, text: str, address: str) -> None:
        assert without_port(text) == address
