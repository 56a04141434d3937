"""IP networks and who is in them."""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

Network = IPv4Network | IPv6Network
_SUBSCRIBER_BITS = 64


def contains(networks: Iterable[Network], address: str) -> bool:
    """Whether one of the networks has the address. An IPv4 address that is written as IPv6 is that IPv4 address.

    What is no address is in no network.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in network for network in networks)


def subscriber_of(address: str) -> str:
    """An IP address as limits count it: of IPv6 the /64 of one subscriber, who may use any address in it.

    Text that is no address is its own subscriber; all without one are `unknown`.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address or "unknown"
    if isinstance(parsed, IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped else str(IPv6Network((int(parsed), _SUBSCRIBER_BITS), strict=False))
    return str(parsed)
