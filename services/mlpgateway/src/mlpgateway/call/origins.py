"""Finds the address of a caller behind trusted proxies."""

import asyncio
import socket
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import unquote

import structlog

from mlplace_kit.networks import Network, contains, is_address, is_host_name, network_of, network_of_hosts, without_port

log = structlog.get_logger(__name__)

_LOOK_UP_SECONDS = 5.0
_FORWARDED = "x-forwarded-for"


class Origins:
    """Decides which address called. `proxies` are addresses, networks and host names; `*` trusts every peer. Others
    raise ValueError.

    `run` resolves the host names again every few seconds. The last `hops` entries of X-Forwarded-For come from trusted
    proxies; the first of these is the caller. A peer that is no trusted proxy is the caller, whatever it sends.
    """

    def __init__(self, proxies: Sequence[str] = (), *, hops: int = 0) -> None:
        self._hops = hops if proxies else 0
        self._everybody = "*" in proxies
        self._networks: list[Network] = []
        self._names: list[str] = []
        self._resolved: frozenset[Network] = frozenset()
        for proxy in proxies:
            network = _network(proxy)
            if network is not None:
                self._networks.append(network)
            elif is_host_name(proxy):
                self._names.append(proxy)
            elif proxy != "*":
                raise ValueError(f"{proxy!r} is neither an address nor a network nor a host name")
        self._is_in_networks = lru_cache(maxsize=4096)(self._in_networks)

    def caller(self, peer: str, reported: Iterable[str]) -> str:
        """Returns the caller's address. `peer` is the connection's address, `reported` the X-Forwarded-For lines.

        A value that is no address leaves the peer.
        """
        if not self.believes(peer):
            return peer
        entries = [entry.strip() for line in reported for entry in line.split(",")]
        found = without_port(entries[-self._hops]) if len(entries) >= self._hops else ""
        return found if is_address(found) else peer

    def believes(self, peer: str) -> bool:
        """Returns whether `peer` is a trusted proxy."""
        if not self._hops:
            return False
        return self._everybody or self._is_in_networks(peer)

    def _in_networks(self, peer: str) -> bool:
        return contains((*self._networks, *self._resolved), peer)

    async def run(self) -> None:
        """Resolves the proxies' host names every five seconds until cancelled."""
        while self._names:
            await self.look_up()
            await asyncio.sleep(_LOOK_UP_SECONDS)

    async def look_up(self) -> None:
        """Resolves the proxies' host names once. A name that does not resolve now trusts nobody."""
        loop = asyncio.get_running_loop()
        found: set[str] = set()
        for name in self._names:
            try:
                infos = await loop.getaddrinfo(name, None, type=socket.SOCK_STREAM)
            except OSError:
                continue
            found.update(str(info[4][0]) for info in infos)
        resolved = frozenset(network_of(address) for address in found if is_address(address))
        if resolved != self._resolved:
            log.info("trusted_proxies", addresses=sorted(map(str, resolved)))
            self._resolved = resolved
            self._is_in_networks.cache_clear()


def _network(text: str) -> Network | None:
    try:
        return network_of_hosts(text)
    except ValueError:
        return None


def client_ip(peer: str, metadata: Iterable[tuple[str, str | bytes]] | None, origins: Origins) -> str:
    """Returns the caller's address. `peer` is in gRPC's notation."""
    reported = [value for name, value in metadata or () if name == _FORWARDED and isinstance(value, str)]
    return origins.caller(_host_of(peer), reported)


def _host_of(peer: str) -> str:
    """Returns the host of a peer in gRPC's notation: `ipv4:1.2.3.4:5`, `ipv6:%5B::1%5D:5` or `unix:path`."""
    kind, _, rest = unquote(peer).partition(":")
    if kind not in {"ipv4", "ipv6"}:
        return "127.0.0.1"
    return rest.rpartition(":")[0].strip("[]")
