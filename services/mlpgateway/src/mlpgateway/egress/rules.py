"""The addresses that the platform calls for tenants: those of the internet, and networks that the operator allows.

Denied are the ranges of the IANA special-purpose address registries (RFC 6890) that are not globally reachable, the
public address at which hosts of Azure serve their virtual machines (168.63.129.16), the prefixes that embed an IPv4
address in an IPv6 one (RFC 4291, RFC 6052, RFC 3056, RFC 4380), multicast, and the addresses of this host.
"""

import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from mlplace_kit.networks import Network

Address = IPv4Address | IPv6Address

_DENIED: Final[tuple[Network, ...]] = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
        "240.0.0.0/4",
        "::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
        "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    )
)  # fmt: skip
_PORTS: Final = frozenset({80, 443})
_LOWEST_FREE_PORT: Final = 1024


class EgressRules:
    def __init__(self, allowed: Iterable[Network] = ()) -> None:
        """`allowed` takes precedence over the denied ranges."""
        self._allowed = tuple(allowed)

    def permits(self, address: str) -> bool:
        """Returns whether the address may be called; False for text that is no address."""
        try:
            found = ip_address(address)
        except ValueError:
            return False
        if isinstance(found, IPv6Address) and found.scope_id is not None:
            return False
        # An IPv4-mapped IPv6 address is checked as the IPv4 address.
        mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
        judged = mapped or found
        if _within(judged, self._allowed):
            return True
        return not _within(judged, _DENIED) and not _is_own(judged)

    @staticmethod
    def permits_port(port: int) -> bool:
        """Returns True for the ports of the web and those above the system services' range."""
        return port in _PORTS or _LOWEST_FREE_PORT <= port <= 65535


def _within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _is_own(address: Address) -> bool:
    """Returns whether packets to it stay on this host: the kernel then picks it as the source. Sends nothing."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((str(address), 9))
        except OSError:
            return False  # no route to it
        return probe.getsockname()[0] == str(address)
