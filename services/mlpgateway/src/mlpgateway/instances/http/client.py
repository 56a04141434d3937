"""Pooled HTTP to instances: no redirects, no cookies, no proxies, bodies as they are. Each new connection is judged."""

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
"""Of a WebSocket, from an instance."""
# Shorter than servers keep unused connections (uvicorn 5 s): a request must not meet one that is just being closed.
_KEEP_SECONDS: Final = 4.0
_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
_NOT_OURS_TO_SAY: Final = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
HTTPS: Final = 443
_SWITCHING: Final = 101
_PING_SECONDS: Final = 60.0
_LAST_WORDS: Final = aiohttp.ClientWSTimeout(ws_close=2.0)  # type: ignore[call-arg]  # made by attrs, which it hides


@dataclass(frozen=True, slots=True)
class Address:
    """Where an instance listens. `trusted`: a server of the platform says so, and may stand in networks inside."""

    host: str
    port: int
    trusted: bool

    @property
    def base(self) -> str:
        """Without a slash at its end. The port of the web's TLS is spoken to with TLS."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"https://{host}" if self.port == HTTPS else f"http://{host}:{self.port}"


class HandshakeRefusedError(Exception):
    """An instance answered the begin of a WebSocket with a status of HTTP."""

    def __init__(self, status: int, headers: tuple[tuple[bytes, bytes], ...]) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers


@dataclass(frozen=True, slots=True)
class Opened:
    """A WebSocket, and what the instance said when it began."""

    socket: aiohttp.ClientWebSocketResponse
    headers: tuple[tuple[bytes, bytes], ...]


class _Handshake:
    """Stands between the client and its redirects: those would lead to addresses that nobody judged."""

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
    """Connections to hosts that the rules permit. Close it at the end."""

    def __init__(self, rules: EgressRules, *, any_port: bool = False, look_up: LookUp = look_up) -> None:
        """`any_port`: whoever names the port is trusted not to name a system service's."""
        self._rules = rules
        self._any_port = any_port
        self._look_up = look_up
        self._session: aiohttp.ClientSession | None = None
        self._socket_turns = SocketTurns()

    def check(self, address: Address) -> None:
        """What can be told without looking the name up. Raises AddressNotAllowed."""
        check_host(self._rules, address.host, None if self._any_port else address.port)

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[tuple[str, str]],
        body: bytes | aiohttp.Payload | None,
        timeout: aiohttp.ClientTimeout = _TIMEOUT,  # noqa: ASYNC109  the client's own, of a connection
    ) -> aiohttp.ClientResponse:
        """`url` is sent as it stands. Release the response, or close it.

        Raises what aiohttp raises, and AddressNotAllowed.
        """
        return await self._opened().request(
            method, URL(url, encoded=True), headers=headers, data=body, timeout=timeout, allow_redirects=False
        )

    @asynccontextmanager
    async def socket(
        self, url: str, *, headers: Sequence[tuple[str, str]], protocols: Sequence[str]
    ) -> AsyncGenerator[Opened]:
        """As `request`, for a WebSocket, which is closed with the block. Raises HandshakeRefusedError too."""
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
    """One for addresses that tenants name, one for those of the platform's own servers."""

    def __init__(self, tenants: Pool, platform: Pool) -> None:
        self._tenants = tenants
        self._platform = platform

    def of(self, address: Address) -> Pool:
        return self._platform if address.trusted else self._tenants

    async def close(self) -> None:
        await self._tenants.close()
        await self._platform.close()
