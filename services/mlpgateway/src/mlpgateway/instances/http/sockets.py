"""A caller's WebSocket: its handshake, its messages and its end. The messages go on to an instance."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from types import TracebackType
from typing import Final

from starlette.types import Message, Receive, Scope, Send

from mlpgateway.call.call import Answer, HttpHead, Payload, SocketClose
from mlpgateway.call.transport import InstanceError
from mlpgateway.errors.calls import PrototypeNotCallable
from mlpgateway.errors.gate import GateIsShutDown, GateOverloaded
from mlpgateway.errors.shares import ShareExceeded
from mlpgateway.instances.http.headers import to_caller
from mlpgateway.shares.admission import Entry
from mlplace_kit.denials import OtherSite
from mlplace_kit.errors import DomainError, PayloadTooLarge
from mlplace_runtime.web.errors import from_unexpected

# RFC 6455, section 7.4.1, and the IANA registry of close codes.
_NORMAL: Final = 1000
_COME_AGAIN: Final = 1012
_FAILED: Final = 1011
_POLICY: Final = 1008
_CODES: Final[dict[type[DomainError], int]] = {
    PayloadTooLarge: 1009,
    GateOverloaded: 1013,
    ShareExceeded: 1013,
    GateIsShutDown: 1012,
    PrototypeNotCallable: _POLICY,
}
_LOST_RIGHT: Final = frozenset({401, 402, 403, 404})
"""Statuses of the gate's refusals of a caller who may no longer call the model, or has no money for it."""
_MOST_REASON: Final = 123
_ABOUT_A_BODY: Final = b"content-"
_LENGTH: Final = b"content-length"
LONGEST_SECONDS: Final = 3600.0
"""Then the caller has to reconnect."""
LAST_SECONDS: Final = 5.0
"""How long an instance may take for the rest of the caller's messages after the end of the conversation."""
_AHEAD_BYTES: Final = 256 * 1024
_AHEAD_MESSAGES: Final = 256


class CallerSocket:
    """One connection, used as a context manager. If the caller leaves before the handshake is answered, the block ends
    without an error.

    Messages are read ahead, up to 256 of them and 256 KiB, so that the caller's close is noticed while the instance
    does not read; more stay with the caller. Once the caller has left or the longest time is over, the instance has
    `LAST_SECONDS` to take the rest. Then the call is cut off.
    """

    def __init__(self, receive: Receive, send: Send, entry: Entry) -> None:
        """`entry` counts the bytes of both sides' messages in memory."""
        self._receive = receive
        self._send = send
        self._entry = entry
        self._inbox: deque[Payload] = deque()
        self._ahead = self._held = 0
        """The bytes of messages that wait for the instance; `_held` has also the one that it is taking."""
        self._changed, self._room = asyncio.Event(), asyncio.Event()
        self._answered = self._over = self._gone = self._said_all = self._is_cut = self._lost = False
        self._is_full = False
        self._failure: DomainError | None = None
        self._ended: SocketClose | None = None
        self._task: asyncio.Task[object] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._cutting: asyncio.TimerHandle | None = None

    async def begin(self) -> bool:
        """Returns False when the caller has left already."""
        return (await self._receive())["type"] == "websocket.connect"

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._reader = asyncio.create_task(self._read())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
        if self._cutting is not None:
            self._cutting.cancel()
        task, self._task = self._task, None
        by_caller = self._gone and isinstance(error, asyncio.CancelledError)
        return by_caller and task is not None and task.uncancel() == 0

    async def _read(self) -> None:
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                await self._hear()
        except DomainError as error:
            self._failure = error
        except TimeoutError:
            self._ended = SocketClose(_COME_AGAIN, "the longest time of a WebSocket is over; connect again")
        else:
            self._over = self._answered
        if self._answered or self._failure is not None:
            self._end()
        elif self._task is not None:
            self._gone = True
            self._task.cancel()

    async def _hear(self) -> None:
        while (message := await self._receive())["type"] == "websocket.receive":
            payload = _payload_of(message)
            await self._hold(_size(payload))
            self._inbox.append(payload)
            self._ahead += _size(payload)
            self._changed.set()
            while not self._lost and (self._ahead > _AHEAD_BYTES or len(self._inbox) > _AHEAD_MESSAGES):
                self._room.clear()
                await self._room.wait()

    async def _hold(self, size: int) -> None:
        """Counts a message that is in memory; waits for room while the instance has earlier ones to take.

        Raises GateOverloaded, ShareExceeded.
        """
        while self._held and not self._lost and not self._entry.has_room(size):
            self._room.clear()
            await self._room.wait()
        self._entry.holds(size)
        self._held += size

    def lose(self) -> None:
        """Tells that the connection is lost: while there is no room for more messages, the reader does not see it.

        The server still has the few that came before, and the reader takes these without waiting for room.
        """
        self._lost = True
        self._room.set()

    def _end(self) -> None:
        """Ends the caller's messages. Does not wait for an instance that does not take them. Idempotent."""
        self._said_all = True
        self._changed.set()
        if self._cutting is None and self._answered and self._task is not None:
            self._cutting = asyncio.get_running_loop().call_later(LAST_SECONDS, self._cut)

    def _cut(self) -> None:
        if self._task is not None:
            self._is_cut = True
            self._task.cancel()

    async def messages(self) -> AsyncGenerator[Payload]:
        """Yields the caller's messages until the caller leaves. Raises GateOverloaded when memory is short."""
        while True:
            while not self._inbox and not self._said_all:
                self._changed.clear()
                await self._changed.wait()
            if not self._inbox:
                break
            said = self._inbox.popleft()
            self._ahead -= _size(said)
            self._room.set()
            yield said
            self._entry.lets_go(_size(said))
            self._held -= _size(said)
            self._room.set()
        if self._failure is not None:
            raise self._failure

    async def serve(self, answers: AsyncGenerator[Answer], own: Iterable[tuple[bytes, bytes]]) -> None:
        """Sends the answers. Raises errors before the handshake is answered; later ones close the WebSocket."""
        try:
            async with aclosing(answers):
                async for answer in answers:
                    await self._tell(answer, own)
        except asyncio.CancelledError:
            task = self._task
            if not self._is_cut or not self._answered or task is None or task.uncancel():
                raise
            await self._close(SocketClose(_NORMAL, "") if self._failure is None else _close_for(self._failure))
        except Exception as error:
            if not self._answered:
                raise
            await self._close(_close_for(from_unexpected(error)))

    async def _tell(self, answer: Answer, own: Iterable[tuple[bytes, bytes]]) -> None:
        if answer.http is None:
            if answer.closed is not None:
                await self._close(answer.closed)
            else:
                await self._pass_on(answer.payload)
        elif answer.http.protocol is None:
            await self._refuse(answer.http, answer, own)
        else:
            self._answered = True
            headers = to_caller((), answer.headers)  # not the instance's headers: scripts never see them
            chosen = answer.http.protocol or None
            await self._say({"type": "websocket.accept", "subprotocol": chosen, "headers": headers})

    async def _refuse(self, head: HttpHead, answer: Answer, own: Iterable[tuple[bytes, bytes]]) -> None:
        """The server tells the length of the body."""
        body = answer.payload.protobuf or b""
        dropped = _LENGTH if body else _ABOUT_A_BODY
        headers = [each for each in to_caller(head.headers, answer.headers) if not each[0].startswith(dropped)]
        self._answered = True
        start = {"type": "websocket.http.response.start", "status": head.status, "headers": [*headers, *own]}
        await self._say(start)
        await self._say({"type": "websocket.http.response.body", "body": body})
        self._over = True

    async def _pass_on(self, payload: Payload) -> None:
        """Waits until the caller has read the earlier messages. Without room for this one, the call fails with it."""
        size = _size(payload)
        if not self._has_place_for(size):
            return
        if payload.json is None:
            await self._say({"type": "websocket.send", "bytes": payload.protobuf or b""})
        else:
            await self._say({"type": "websocket.send", "text": payload.json})
        self._entry.lets_go(size)

    def _has_place_for(self, size: int) -> bool:
        """Counts a message of the instance. Where there is no room, the messages of the caller end with the error: so
        the pipeline learns that the caller did not leave. Later messages are dropped.
        """
        if self._is_full:
            return False
        try:
            self._entry.holds(size)
        except DomainError as error:
            self._is_full, self._failure = True, self._failure or error
            if self._reader is not None:
                self._reader.cancel()
            self._end()
            return False
        return True

    async def _close(self, how: SocketClose) -> None:
        how = self._ended or how
        reason = how.reason.encode()[:_MOST_REASON].decode(errors="ignore")
        await self._say({"type": "websocket.close", "code": how.code, "reason": reason})
        self._over = True

    async def _say(self, message: Message) -> None:
        """Sends nothing once the caller has left."""
        if not self._over:
            try:
                await self._send(message)
            except OSError:  # ASGI servers report a closed connection this way
                self._over = True
                self._end()


def _close_for(refusal: DomainError) -> SocketClose:
    lost_right = refusal.status in _LOST_RIGHT and not isinstance(refusal, InstanceError)
    other = _POLICY if lost_right else _FAILED
    code = next((code for kind, code in _CODES.items() if isinstance(refusal, kind)), other)
    return SocketClose(code, refusal.code)


def closed_as(code: int | None, reason: str | None) -> SocketClose:
    """Returns an instance's close code, or 1000 for codes that must not be sent, like 1005, 1006 and 1015."""
    sendable = code is not None and (code in {1000, 1001, 1002, 1003, *range(1007, 1015)} or 3000 <= code < 5000)
    return SocketClose(code if code is not None and sendable else _NORMAL, reason or "")


def refuse_other_sites(scope: Scope) -> None:
    """Raises AccessDenied when a caller with a session comes from a page of another origin.

    Browsers let any page open a WebSocket, and send cookies along. They always send the page's Origin.
    """
    headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
    origin, host = headers.get(b"origin", b"").decode("latin-1"), headers.get(b"host", b"").decode("latin-1")
    if not host or origin.partition("://")[2] != host:
        raise OtherSite


def _payload_of(message: Message) -> Payload:
    text: str | None = message.get("text")
    return Payload(protobuf=message.get("bytes") or b"") if text is None else Payload(json=text)


def _size(payload: Payload) -> int:
    return len(payload.protobuf or b"") if payload.json is None else len(payload.json)
