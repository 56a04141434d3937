"""The networks from which an account's keys and sessions are accepted."""

from collections.abc import Sequence
from ipaddress import ip_address

from mlplace_kit.errors import ValidationFailed
from mlplace_kit.networks import contains, network_of, network_of_hosts
from mlplace_kit.violations import Violation, broken

MOST_NETWORKS = 1000


def normal(networks: Sequence[str]) -> list[str]:
    """Returns the networks in CIDR notation without duplicates. A single address is a network of one.

    Raises ValidationFailed.
    """
    problems: dict[str, Violation] = {}
    found: dict[str, None] = {}
    for place, text in enumerate(networks):
        try:
            found[str(network_of_hosts(text))] = None
        except ValueError:
            problems[str(place)] = broken("ip_network")
    if len(networks) > MOST_NETWORKS:
        problems["body"] = broken("too_many", message=f"has more than {MOST_NETWORKS} networks", max=str(MOST_NETWORKS))
    if problems:
        raise ValidationFailed(problems)
    return list(found)


def allows(networks: Sequence[str] | None, address: str) -> bool:
    """Whether the networks contain the address; None allows every address. Raises ValidationFailed for no address."""
    try:
        ip_address(address)
    except ValueError:
        raise ValidationFailed({"ipAddress": broken("ip_address")}) from None
    return networks is None or contains(map(network_of, networks), address)
