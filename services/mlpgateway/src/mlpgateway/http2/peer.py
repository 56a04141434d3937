"""The address of a connection's peer."""

import asyncio
from typing import cast


def peer_of(transport: asyncio.BaseTransport) -> tuple[str, str]:
    """Returns the IP address, and the full address in gRPC's notation."""
    name = cast("tuple[str, int] | str | None", transport.get_extra_info("peername"))
    if not isinstance(name, tuple):
        return "", "unix:"
    host, port = name[0], name[1]
    return (host, f"ipv6:%5B{host}%5D:{port}") if ":" in host else (host, f"ipv4:{host}:{port}")
