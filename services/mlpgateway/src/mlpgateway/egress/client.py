"""HTTP to addresses that tenants set: a name is looked up once, and exactly the checked address is called."""

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from string import hexdigits
from typing import Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from mlpgateway.egress.errors import AddressNotAllowed, AddressUnreachable
from mlpgateway.egress.look_ups import LookUps
from mlpgateway.egress.rules import EgressRules

LookUp = Callable[[str, int], Awaitable[list[str]]]
"""Returns the addresses of a host name. Raises OSError."""
_SCHEMES: Final = {"http", "https"}
_MOST_URL: Final = 2048


async def permitted_addresses(rules: EgressRules, look_up: LookUp, host: str, port: int) -> list[str]:
    """Looks a name up once. Refuses it when any of its addresses is not allowed: such a mix is an attack.

    Raises AddressNotAllowed, OSError.
    """
    addresses = await look_up(host, port)
    if not all(map(rules.permits, addresses)):
        raise AddressNotAllowed(reason="it is in a network that is not public", why="private_network")
    return list(dict.fromkeys(addresses))


class JudgingResolver(AbstractResolver):
    """Resolves names for aiohttp: only to addresses that may be called."""

    def __init__(self, rules: EgressRules, look_up: LookUp) -> None:
        self._rules = rules
        self._look_up = look_up

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Raises AddressNotAllowed, OSError."""
        del family  # every address is checked, whatever its family
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await permitted_addresses(self._rules, self._look_up, host, port)
        ]

    async def close(self) -> None:
        """Nothing to close."""


def check_host(rules: EgressRules, host: str, port: int | None = None) -> None:
    """Checks the port, and a host that is an IP address. Names are checked when resolved. Raises AddressNotAllowed."""
    if port is not None and not rules.permits_port(port):
        raise AddressNotAllowed(
            reason="its port may belong to a system service; use 80, 443 or one from 1024 on", why="port"
        )
    if not is_address(host):
        if _ends_in_number(host):
            raise AddressNotAllowed(
                reason="its host is an ambiguous number; write it in dotted decimal form", why="ambiguous_host"
            )
    elif not rules.permits(host):
        raise AddressNotAllowed(reason="it is in a network that is not public", why="private_network")


class Egress:
    """An HTTP client without redirects, cookies or proxies from the environment. Close it at the end."""

    def __init__(self, rules: EgressRules, look_up: LookUp | None = None) -> None:
        self._rules = rules
        self._look_up = look_up or LookUps().find
        self._session: aiohttp.ClientSession | None = None

    def check(self, url: str) -> URL:
        """Checks what is possible without a name look-up. Raises AddressNotAllowed."""
        try:
            parsed = URL(url)
            port = parsed.port
        except ValueError:
            raise AddressNotAllowed(reason="it is not a URL", why="not_url") from None
        if len(url) > _MOST_URL or parsed.scheme not in _SCHEMES or not parsed.host or not _is_plain(url):
            raise AddressNotAllowed(reason="it is not a URL of http or https", why="not_http")
        if parsed.user is not None or parsed.password is not None:
            raise AddressNotAllowed(reason="it contains a user name or a password; leave them out", why="credentials")
        if port is None or not self._rules.permits_port(port):
            raise AddressNotAllowed(
                reason="its port may belong to a system service; use 80, 443 or one from 1024 on", why="port"
            )
        self.check_host(parsed.raw_host or parsed.host)
        return parsed

    def check_host(self, host: str) -> None:
        """Checks a host that is an IP address. Names are checked when resolved. Raises AddressNotAllowed."""
        check_host(self._rules, host)

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            resolver = JudgingResolver(self._rules, self._look_up)
            connector = aiohttp.TCPConnector(
                resolver=resolver, use_dns_cache=False, limit=200, limit_per_host=20, force_close=True
            )
            jar = aiohttp.DummyCookieJar()
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=jar, trust_env=False)
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    @asynccontextmanager
    async def post(
        self, url: str, *, data: bytes, headers: dict[str, str], seconds: float
    ) -> AsyncGenerator[aiohttp.ClientResponse]:
        """Raises AddressNotAllowed, AddressUnreachable."""
        parsed = self.check(url)
        timeout = aiohttp.ClientTimeout(total=seconds)
        try:
            async with self._opened().post(
                parsed, data=data, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                yield response
        except TimeoutError:
            raise AddressUnreachable(reason="no answer in time") from None
        except (aiohttp.ClientError, OSError) as error:
            raise AddressUnreachable(reason=type(error).__name__) from None


def _is_plain(url: str) -> bool:
    return url.isprintable() and not any(character.isspace() for character in url)


def is_address(host: str) -> bool:
    """Returns whether the host is an IP address, not a name."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _ends_in_number(host: str) -> bool:
    """Returns whether browsers would parse the host as an IPv4 address, even in octal or hexadecimal. Other parsers may
    read such a host differently (https://url.spec.whatwg.org/#ends-in-a-number-checker).
    """
    last = host.removesuffix(".").rpartition(".")[2].lower()
    return last.isdecimal() or (last.startswith("0x") and all(each in hexdigits for each in last[2:]))


@asynccontextmanager
async def open_egress(rules: EgressRules, look_up: LookUp | None = None) -> AsyncGenerator[Egress]:
    egress = Egress(rules, look_up)
    try:
        yield egress
    finally:
        await egress.close()
