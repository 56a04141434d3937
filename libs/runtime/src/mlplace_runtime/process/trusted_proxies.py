"""Finds the address of a caller behind trusted proxies. It loads no server: programs read their settings first."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Final

import structlog
from pydantic import AfterValidator

from mlplace_kit.networks import Network, contains, is_address, is_host_name, network_of, network_of_hosts, without_port

log = structlog.get_logger(__name__)

_EVERYBODY: Final = "*"
_KEPT_SECONDS: Final = 60.0
"""How long a name that does not resolve keeps its addresses: else all callers would have the proxy's own."""


@dataclass(slots=True)
class _Name:
    addresses: frozenset[Network] = frozenset()
    resolved_at: float = 0.0
    fails: bool = False


class TrustedProxies:
    """`proxies` are addresses, networks and host names, comma-separated; `*` is every peer. Raises ValueError.

    `run` resolves the host names again every `every` seconds. A peer that is not known has them resolved, too, when
    `between` seconds have passed, and waits at most the seconds of `longest` for it.
    """

    def __init__(
        self,
        proxies: str = "",
        *,
        every: float = 5.0,
        between: float = 1.0,
        longest: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._every = every
        self._between = between
        self._longest = longest
        self._clock = clock
        self._everybody = False
        self._networks: list[Network] = []
        self._names: dict[str, _Name] = {}
        self._looked_up = -between
        self._meeting: asyncio.Task[None] | None = None
        for proxy in (each.strip() for each in proxies.split(",") if each.strip()):
            network = _network(proxy)
            if network is not None:
                self._networks.append(network)
            elif is_host_name(proxy):
                self._names[proxy] = _Name()
            elif proxy == _EVERYBODY:
                self._everybody = True
            else:
                raise ValueError(f"{proxy!r} is neither an address nor a network nor a host name")
        self._is_known = lru_cache(maxsize=4096)(self._in_networks)

    def __bool__(self) -> bool:
        """Whether anybody is trusted."""
        return bool(self._everybody or self._networks or self._names)

    def caller(self, peer: str, reported: Iterable[str]) -> str:
        """Returns the caller's address. `peer` is the connection's address, `reported` the X-Forwarded-For lines.

        Each proxy appends the address that it was called from. So the caller is the last one that no trusted proxy has,
        or the first one if all have; with `*`, the last one. A value that is no address leaves the peer, and a peer
        that is no trusted proxy is the caller, whatever it sends. `Forwarded` is not read.
        """
        if not self.believes(peer):
            return peer
        found = peer
        for entry in reversed([entry for line in reported for entry in line.split(",")]):
            found = without_port(entry.strip())
            if not is_address(found):
                return peer
            if self._everybody or not self._is_known(found):
                break
        return found

    def believes(self, peer: str) -> bool:
        """Returns whether `peer` is a trusted proxy."""
        return self._everybody or self._is_known(peer)

    def may_be_new(self, peer: str) -> bool:
        """Returns whether `peer` may be a proxy that got its address after its name was resolved."""
        return bool(self._names) and not self.believes(peer)

    async def meet(self, peer: str) -> None:
        """Resolves the names for a peer that may be new: once for all who wait."""
        if not self.may_be_new(peer):
            return
        if self._meeting is None or self._meeting.done():
            self._meeting = asyncio.create_task(self._look_up_soon(), name="trusted-proxies-meeting")
        await self._wait(self._meeting)

    async def run(self) -> None:
        """Resolves the host names again and again until cancelled."""
        while self._names:
            try:
                await self.look_up()
            except Exception:
                log.exception("trusted_proxies_not_looked_up")
            await asyncio.sleep(self._every)

    async def start(self) -> None:
        """Resolves the names, but does not wait long: a server that waits for its name server serves nobody."""
        await self._wait(asyncio.create_task(self.look_up(), name="trusted-proxies-start"))

    async def _wait(self, task: "asyncio.Task[None]") -> None:
        """The task goes on when the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._longest):
                await asyncio.shield(task)

    async def _look_up_soon(self) -> None:
        await asyncio.sleep(self._looked_up + self._between - self._clock())
        await self.look_up()

    async def look_up(self) -> None:
        """Resolves the host names once."""
        await asyncio.gather(*(self._resolve(name, known) for name, known in self._names.items()))
        self._looked_up = self._clock()

    async def _resolve(self, name: str, known: _Name) -> None:
        try:
            found = frozenset(network_of(address) for address in await _addresses_of(name) if is_address(address))
        except (OSError, UnicodeError) as error:
            if not known.fails:
                log.warning("trusted_proxy_not_resolved", name=name, problem=str(error))
            known.fails = True
            if self._clock() - known.resolved_at < _KEPT_SECONDS:
                return
            found = frozenset[Network]()
        else:
            known.fails, known.resolved_at = False, self._clock()
        if found != known.addresses:
            log.info("trusted_proxy_resolved", name=name, addresses=sorted(map(str, found)))
            known.addresses = found
            self._is_known.cache_clear()

    def _in_networks(self, peer: str) -> bool:
        return contains(self._networks, peer) or any(contains(known.addresses, peer) for known in self._names.values())


async def _addresses_of(name: str) -> list[str]:
    infos = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in infos]


def _network(text: str) -> Network | None:
    try:
        return network_of_hosts(text)
    except ValueError:
        return None


def _checked(proxies: str) -> str:
    TrustedProxies(proxies)
    return proxies


ProxyList = Annotated[str, AfterValidator(_checked)]
"""The setting: what TrustedProxies takes."""
