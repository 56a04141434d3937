"""Addresses on this machine at which instances listen for HTTP."""

import socket
from ipaddress import ip_address
from typing import Final

LOOPBACK: Final = "127.0.0.1"
ANYWHERE: Final = "0.0.0.0"


def bind_address(advertised: str | None) -> str:
    """The machine alone, or the address that the configuration names; all addresses when it names a name."""
    if advertised is None:
        return LOOPBACK
    try:
        return str(ip_address(advertised))
    except ValueError:
        return ANYWHERE


def free_port(host: str) -> int:
    """One that nobody listens on now. Whoever loses it before it listens ends, and gets another one next time."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
