"""Addresses on this machine at which instances listen for HTTP."""

import socket
from ipaddress import ip_address
from typing import Final

LOOPBACK: Final = "127.0.0.1"
ANYWHERE: Final = "0.0.0.0"


def bind_address(advertised: str | None) -> str:
    """The loopback without an advertised host; the advertised address; all addresses when a name is advertised."""
    if advertised is None:
        return LOOPBACK
    try:
        return str(ip_address(advertised))
    except ValueError:
        return ANYWHERE


def free_port(host: str) -> int:
    """A port that is free now.

    An instance that loses it to another process before it listens ends, and gets a new port at its next start.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
