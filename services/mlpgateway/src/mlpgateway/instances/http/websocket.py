"""A WebSocket to an instance: messages of both sides as they come, at the pace of their readers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Final

from aiohttp import ClientError, ClientWebSocketResponse, WSMsgType

from mlpgateway.call.call import Answer, HttpHead, Payload
from mlpgateway.errors.gate import ChannelClosed
from mlpgateway.instances.http.headers import of_protocol
from mlpgateway.instances.http.paced_socket import PacedSocket
from mlpgateway.instances.http.socket_client import Opened
from mlpgateway.instances.http.sockets import closed_as
from mlplace_kit.errors import DomainError, PayloadTooLarge

_EMPTY: Final = Payload(protobuf=b"")
_SWITCHING: Final = 101
_TOO_BIG: Final = 1009


async def conversation(opened: Opened, inputs: AsyncGenerator[Payload], most_bytes: int) -> AsyncGenerator[Answer]:
    """Yields the handshake, then the instance's messages, then its close. Closes `inputs` at the end.

    Raises ChannelClosed when the instance is lost, PayloadTooLarge for its message, and the errors of `inputs`.
    """
    socket, said_all, sent = opened.socket, asyncio.Event(), asyncio.Event()
    sent.set()
    head = HttpHead(_SWITCHING, opened.headers, protocol=socket.protocol or "")
    yield Answer(_EMPTY, of_protocol(opened.headers), last=False, partial=True, http=head)
    pump = asyncio.create_task(_pump(inputs, socket, said_all, sent))
    try:
        while True:
            message = await socket.receive()
            match message.type:
                case WSMsgType.TEXT:
                    yield Answer(Payload(json=message.data), {}, first=False, last=False, partial=True)
                case WSMsgType.BINARY:
                    yield Answer(Payload(protobuf=message.data), {}, first=False, last=False, partial=True)
                case _:
                    break
        if said_all.is_set():
            await pump  # raises the error that ended the caller's side, if there was one
        elif message.type is not WSMsgType.CLOSE:
            if socket.close_code == _TOO_BIG:
                raise PayloadTooLarge(limit=str(most_bytes))
            raise ChannelClosed(reason="the instance closed the connection")
        code, reason = (message.data, message.extra) if message.type is WSMsgType.CLOSE else (None, None)
        yield Answer(_EMPTY, {}, first=False, last=True, partial=True, closed=closed_as(code, reason))
    finally:
        if not sent.is_set() and isinstance(socket, PacedSocket):
            socket.abort()
        pump.cancel()
        with suppress(asyncio.CancelledError, DomainError):
            await pump


async def _pump(
    inputs: AsyncGenerator[Payload], socket: ClientWebSocketResponse, said_all: asyncio.Event, sent: asyncio.Event
) -> None:
    """Sends the caller's messages, then closes the socket. Raises an error that ends `inputs`.

    `sent` is set unless a message is being sent.
    """
    async with aclosing(inputs):
        try:
            async for said in inputs:
                sent.clear()
                if said.json is not None:
                    await socket.send_str(said.json)
                else:
                    await socket.send_bytes(said.protobuf or b"")
                sent.set()
        except (ClientError, OSError):
            return  # the reader of the socket reports the reason
        except DomainError:
            said_all.set()
            await socket.close()
            raise
    said_all.set()
    await socket.close()
