"""IP networks and their addresses."""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
_SUBSCRIBER_BITS = 64
_MAPPED_BITS = 96
_COMPATIBLE = IPv6Network("::/96")
_WITH_PORT = re.compile(r"(?P<v4>[0-9.]+):[0-9]+|\[(?P<v6>[0-9A-Fa-f:.]+)\](?::[0-9]+)?")
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*\.?")
_NO_IPV4 = (IPv6Address("::"), IPv6Address("::1"))


def network_of(text: str) -> Network:
    """Returns a network, or a single address as a network of one. Bits behind the prefix do not count.

    A network of IPv4-mapped IPv6 addresses is returned as the IPv4 network, because `contains` looks for those. Raises
    ValueError.
    """
    found = ip_network(text.strip(), strict=False)
    mapped = found.network_address.ipv4_mapped if isinstance(found, IPv6Network) else None
    if mapped is None or found.prefixlen < _MAPPED_BITS:
        return found
    return IPv4Network((mapped, found.prefixlen - _MAPPED_BITS))


def network_of_hosts(text: str) -> Network:
    """Like `network_of`, for networks of hosts that call the platform or that it calls.

    Raises ValueError also for addresses that no such host has: those with a zone (RFC 4007), mapped ones with a prefix
    of fewer than 96 bits, which is mostly meant as one of IPv4, and the deprecated `::192.0.2.1` (RFC 4291, section
    2.5.5.1).
    """
    found = network_of(text)
    if "%" in text:
        raise ValueError(f"no host has an address of {text.strip()}")
    named = ip_address(text.strip().partition("/")[0])
    if isinstance(found, IPv4Network) or not isinstance(named, IPv6Address):
        return found
    if named.ipv4_mapped is not None or (named in _COMPATIBLE and named not in _NO_IPV4):
        raise ValueError(f"no host has an address of {text.strip()}")
    return found


def is_host_name(text: str) -> bool:
    """Returns whether this may be a name of a host, with underscores, which private networks use.

    A name that ends with a number is none: it is an address, or meant as one (RFC 1123, section 2.1).
    """
    return bool(_HOST_NAME.fullmatch(text)) and not text.rstrip(".").rpartition(".")[2].isdigit()


def contains(networks: Iterable[Network], address: str) -> bool:
    """Returns whether one of the networks contains the address. An IPv4-mapped IPv6 address counts as its IPv4 address.

    A text that is not an address is in no network.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in network for network in networks)


def is_address(text: str) -> bool:
    """An address with a zone (RFC 4007) is none of a caller."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def without_port(text: str) -> str:
    """Returns `192.0.2.1` of `192.0.2.1:80`, and `2001:db8::1` of `[2001:db8::1]:80`, as some proxies report callers.

    Any other text stays as it is.
    """
    found = _WITH_PORT.fullmatch(text)
    return found["v6"] or found["v4"] if found else text


@lru_cache(maxsize=4096)
def subscriber_of(address: str) -> str:
    """Returns the unit by which limits count addresses: an IPv4 address, or the /64 network of an IPv6 address.

    One subscriber may use any address of its /64. A text that is not an address counts as itself; an empty one as
    `unknown`.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address or "unknown"
    if isinstance(parsed, IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(mapped) if mapped else str(IPv6Network((int(parsed), _SUBSCRIBER_BITS), strict=False))
    return str(parsed)
