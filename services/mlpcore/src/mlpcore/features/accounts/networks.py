"""Addresses from which calls with an account's keys and sessions are served."""

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from mlplace_kit.errors import ValidationFailed
from mlplace_kit.networks import contains

MOST_NETWORKS = 1000


def normal(networks: Sequence[str]) -> list[str]:
    """Networks in CIDR notation, without repetition; an address alone is a network of one.

    Raises ValidationFailed.
    """
    problems: dict[str, str] = {}
    found: dict[str, None] = {}
    for place, text in enumerate(networks):
        try:
            found[str(ip_network(text.strip(), strict=False))] = None
        except ValueError:
            problems[str(place)] = "is neither an IP network nor an address"
    if len(networks) > MOST_NETWORKS:
        problems["body"] = f"has more than {MOST_NETWORKS} networks"
    if problems:
        raise ValidationFailed(problems)
    return list(found)


def allows(networks: Sequence[str] | None, address: str) -> bool:
    """None lets in everybody. Raises ValidationFailed for what is no address."""
    try:
        ip_address(address)
    except ValueError:
        raise ValidationFailed({"ipAddress": "is no IP address"}) from None
    return networks is None or contains([ip_network(network) for network in networks], address)
