"""HTTP connection pools to instances: no redirects, cookies or proxies, bodies unchanged. Each address is checked."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

import aiohttp
from yarl import URL

from mlpgateway.egress.client import JudgingResolver, LookUp, check_host, look_up
from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.paced_socket import PacedSocket
from mlplace_runtime.process.socket_turns import SocketTurns

CONNECT_SECONDS: Final = 5.0
MOST_MESSAGE_BYTES: Final = 16 * 1024 * 1024
"""The largest WebSocket message from an instance."""
# Shorter than servers keep idle connections (uvicorn 5 s), so that no request meets one that is just being closed.
_KEEP_SECONDS: Final = 4.0
_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
_NOT_OURS_TO_SAY: Final = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
HTTPS: Final = 443
_SWITCHING: Final = 101
_PING_SECONDS: Final = 60.0
_LAST_WORDS: Final = aiohttp.ClientWSTimeout(ws_close=2.0)  # type: ignore[call-arg]  # made by attrs, which it hides


@dataclass(frozen=True, slots=True)
class Address:
    """Where an instance listens. `trusted`: a server of the platform reported it; it may be in an internal network."""

    host: str
    port: int
    trusted: bool

    @property
    def base(self) -> str:
        """The base URL without a trailing slash. Port 443 means https."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"https://{host}" if self.port == HTTPS else f"http://{host}:{self.port}"


class HandshakeRefusedError(Exception):
    """An instance answered a WebSocket handshake with another HTTP status."""

    def __init__(self, status: int, headers: tuple[tuple[bytes, bytes], ...]) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers


@dataclass(frozen=True, slots=True)
class Opened:
    """An open WebSocket, and the headers of the instance's handshake."""

    socket: aiohttp.ClientWebSocketResponse
    headers: tuple[tuple[bytes, bytes], ...]


class _Handshake:
    """Keeps the client from following redirects, which could lead to addresses that were never checked."""

    def __init__(self) -> None:
        self.headers: tuple[tuple[bytes, bytes], ...] = ()

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        response = await handler(request)
        self.headers = response.raw_headers
        if response.status != _SWITCHING:
            response.close()
            raise HandshakeRefusedError(response.status, response.raw_headers)
        return response


class Pool:
    """Connections to hosts that the rules allow. Close it at the end."""

    def __init__(self, rules: EgressRules, *, any_port: bool = False, look_up: LookUp = look_up) -> None:
        """`any_port`: the source of the port is trusted not to name the port of a system service."""
        self._rules = rules
        self._any_port = any_port
        self._look_up = look_up
        self._session: aiohttp.ClientSession | None = None
        self._socket_turns = SocketTurns()

    def check(self, address: Address) -> None:
        """Checks what is possible without a name look-up. Raises AddressNotAllowed."""
        check_host(self._rules, address.host, None if self._any_port else address.port)

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[tuple[str, str]],
        body: bytes | aiohttp.Payload | None,
        timeout: aiohttp.ClientTimeout = _TIMEOUT,  # noqa: ASYNC109  the client's own, for a connection
    ) -> aiohttp.ClientResponse:
        """Sends a request; `url` is sent unchanged. The caller has to release or close the response.

        Raises the errors of aiohttp, and AddressNotAllowed.
        """
        return await self._opened().request(
            method, URL(url, encoded=True), headers=headers, data=body, timeout=timeout, allow_redirects=False
        )

    @asynccontextmanager
    async def socket(
        self, url: str, *, headers: Sequence[tuple[str, str]], protocols: Sequence[str]
    ) -> AsyncGenerator[Opened]:
        """Like `request`, for a WebSocket that is closed with the block. Also raises HandshakeRefusedError."""
        handshake = _Handshake()
        host = URL(url, encoded=True).authority
        async with (
            aiohttp.ClientSession(
                connector=self._opened().connector,
                connector_owner=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                skip_auto_headers=_NOT_OURS_TO_SAY,
                timeout=_TIMEOUT,
                middlewares=(handshake,),
                ws_response_class=cast("type[PacedSocket]", partial(PacedSocket, self._socket_turns, host)),
            ) as session,
            session.ws_connect(
                URL(url, encoded=True),
                headers=headers,
                protocols=protocols,
                heartbeat=_PING_SECONDS,
                max_msg_size=MOST_MESSAGE_BYTES,
                timeout=_LAST_WORDS,
            ) as socket,
        ):
            yield Opened(socket, handshake.headers)

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(
                resolver=JudgingResolver(self._rules, self._look_up),
                use_dns_cache=False,
                limit=0,
                keepalive_timeout=_KEEP_SECONDS,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
                skip_auto_headers=_NOT_OURS_TO_SAY,
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


class Pools:
    """One pool for addresses that tenants set, one for those of the platform's own servers."""

    def __init__(self, tenants: Pool, platform: Pool) -> None:
        self._tenants = tenants
        self._platform = platform

    def of(self, address: Address) -> Pool:
        return self._platform if address.trusted else self._tenants

    async def close(self) -> None:
        await self._tenants.close()
        await self._platform.close()
