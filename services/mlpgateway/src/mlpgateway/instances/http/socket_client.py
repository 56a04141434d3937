"""WebSockets to instances: no redirects, cookies or proxies. Each address is checked."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Final, cast

import aiohttp
from yarl import URL

from mlpgateway.call.error_bodies import MOST_BYTES
from mlpgateway.egress.client import JudgingResolver, LookUp
from mlpgateway.egress.look_ups import LookUps
from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.client.limits import CONNECT_SECONDS
from mlpgateway.instances.http.paced_socket import PacedSocket
from mlplace_runtime.process.turns import Turns

MOST_MESSAGE_BYTES: Final = 16 * 1024 * 1024
"""The largest WebSocket message from an instance."""
_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
_NOT_OURS_TO_SAY: Final = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
_SWITCHING: Final = 101
_BODY_SECONDS: Final = 5.0
"""For the body of a refusal, from its head on."""
_PING_SECONDS: Final = 60.0
_LAST_WORDS: Final = aiohttp.ClientWSTimeout(ws_close=2.0)  # type: ignore[call-arg]  # made by attrs, which it hides


class HandshakeRefusedError(Exception):
    """An instance answered a WebSocket handshake with another HTTP status.

    `body` is that of an error, unchanged. It is empty where it was larger than `MOST_BYTES`, late or cut.
    """

    def __init__(self, status: int, headers: tuple[tuple[bytes, bytes], ...], body: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers
        self.body = body


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
            try:
                body = await _body_of(response)
            finally:
                response.close()
            raise HandshakeRefusedError(response.status, response.raw_headers, body)
        return response


async def _body_of(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            while response.status >= HTTPStatus.BAD_REQUEST and len(body) <= MOST_BYTES:
                piece = await response.content.readany()
                if not piece:
                    return bytes(body)
                body += piece
    except (TimeoutError, aiohttp.ClientError):
        return b""
    return b""


class SocketClient:
    """WebSockets to hosts that the rules allow. Close it at the end."""

    def __init__(self, rules: EgressRules, *, look_up: LookUp | None = None) -> None:
        self._rules = rules
        self._look_up = look_up or LookUps().find
        self._connector: aiohttp.TCPConnector | None = None
        self._socket_turns = Turns()

    @asynccontextmanager
    async def open(
        self, url: str, *, headers: Sequence[tuple[str, str]], protocols: Sequence[str]
    ) -> AsyncGenerator[Opened]:
        """Opens a WebSocket that is closed with the block; `url` is sent unchanged.

        Raises HandshakeRefusedError, the errors of aiohttp, and AddressNotAllowed.
        """
        handshake = _Handshake()
        host = URL(url, encoded=True).authority
        async with (
            aiohttp.ClientSession(
                connector=self._opened(),
                connector_owner=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                skip_auto_headers=_NOT_OURS_TO_SAY,
                auto_decompress=False,
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

    def _opened(self) -> aiohttp.TCPConnector:
        if self._connector is None:
            resolver = JudgingResolver(self._rules, self._look_up)
            self._connector = aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False, limit=0, force_close=True)
        return self._connector

    async def close(self) -> None:
        if self._connector is not None:
            await self._connector.close()
            self._connector = None
