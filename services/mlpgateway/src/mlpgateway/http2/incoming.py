"""The incoming messages of one call. Of a large message only the beginning is read until its sender is known."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from mlpgateway.http2.errors import CallRefused, MessageLate, MessageTooLarge
from mlpgateway.http2.frames import PREFIX_BYTES, Code
from mlpgateway.http2.headers import Metadata, Opening
from mlpgateway.http2.inflate import beginning_of, inflated
from mlpgateway.http2.limits import BEGINNING_BYTES, OPEN_WINDOW_BYTES, UNPROVEN_BYTES, WINDOW_BYTES, Http2Limits
from mlpgateway.http2.room import RequestBytes
from mlpgateway.shares.share import Holder

_ENCODINGS = frozenset(("gzip", "deflate"))
FEW_MESSAGES: Final = 64
_FEW_BYTES: Final = 64 * 1024
"""Messages of a call that are handled in one turn of the event loop: so many, or those that have so many bytes. A small
message may hold many others. All calls of an instance share one stream, so its ordinary answers must fit in many times.
"""


class Judge(Protocol):
    async def __call__(self, beginning: bytes, metadata: Metadata, peer: str, /) -> Holder | None:
        """Returns the holder whose share this message uses, judging by its beginning; None: it is not counted.

        Raises DomainError for an unknown sender.
        """
        ...


class Wire(Protocol):
    """The connection, as seen by its calls."""

    limits: Http2Limits
    room: RequestBytes
    peer: str
    is_proven: bool

    def credit(self, count: int) -> None:
        """Returns flow-control credit for bytes that were handled."""
        ...

    def expect(self, number: int, count: int) -> None:
        """Allows additional bytes for a call, beyond the windows."""
        ...

    def announce(self, number: int, count: int) -> None:
        """Enlarges the receive window of a call."""
        ...

    def await_first(self, count: int) -> None:
        """Counts bytes held for calls that have not begun. Raises ConnectionFailedError."""
        ...

    def prove(self) -> None:
        """Marks the connection as proven: a known caller uses it."""
        ...

    def reset(self, number: int, code: Code) -> None: ...

    def fail_stream(self, number: int, code: Code) -> None:
        """Resets a stream on which the peer broke the protocol. Raises ConnectionFailedError if it does so often."""
        ...


class IncomingMessages:
    """The messages of one call, in order. Flow control stops the sender while nobody reads."""

    __slots__ = (
        "_chunks",
        "_claimed",
        "_flag",
        "_goes_on",
        "_have",
        "_inbox",
        "_judge",
        "_kept",
        "_loop",
        "_need",
        "_prefix",
        "_queued",
        "_refusal",
        "_reserved",
        "_taken_in_turn",
        "_taker",
        "_uncredited",
        "_waiter",
        "_wire",
        "account",
        "begun",
        "came",
        "due",
        "ended",
        "expected",
        "judged",
        "number",
        "opening",
        "receive_window",
    )  # fmt: skip

    def __init__(self, wire: Wire, number: int, opening: Opening, judge: Judge) -> None:
        self._wire = wire
        self._loop = asyncio.get_running_loop()
        self._judge = judge
        self._inbox: deque[tuple[int, bytes]] = deque()
        # The bytes in the inbox.
        self._queued = 0
        self._prefix = b""
        self._flag = 0
        self._need = -1
        self._have = 0
        self._chunks: list[bytes] = []
        self._waiter: asyncio.Future[None] | None = None
        self._taker: Callable[[bytes], None] | None = None
        # Whether `_hand_over` goes on in the next turn of the event loop.
        self._goes_on = False
        # The messages that `read` has returned without a wait.
        self._taken_in_turn = 0
        self._refusal: CallRefused | None = None
        self._uncredited = 0
        # The bytes that have to come until the end, if the caller has said how many.
        self._claimed = opening.length
        self._kept = 0
        # The bytes of the account's share reserved for the message that is arriving.
        self._reserved = 0
        self.number = number
        self.opening = opening
        self.account: Holder | None = None
        self.judged = False
        self.begun = False
        self.ended = False
        self.receive_window = WINDOW_BYTES
        # The part of the window that was opened beyond its normal size for the message that is arriving.
        self.expected = 0
        self.came = self._loop.time()
        # The time by which a large message has to be complete.
        self.due = 0.0

    # ---- For the connection

    def receive(self, data: bytes, count: int, *, ended: bool) -> None:
        """Takes `data`, which came in `count` bytes of flow control. Raises ConnectionFailedError."""
        self.receive_window -= count
        self.ended = ended
        self._account_for(count)
        if self.receive_window < 0:
            self._wire.fail_stream(self.number, Code.FLOW_CONTROL_ERROR)
            return
        if self._claimed is not None:
            self._claimed -= len(data)
            if self._claimed < 0 or (ended and self._claimed):
                self._wire.fail_stream(self.number, Code.PROTOCOL_ERROR)
                return
        if self._refusal is None:
            self._feed(data)
        if self._refusal is not None and self.begun:
            self.break_off(self._refusal)
            return
        self._pass_on()

    def _account_for(self, count: int) -> None:
        """Returns the credit for received bytes, or holds it until the call begins. Raises ConnectionFailedError."""
        if self.expected:
            used = min(self.expected, count)
            self.expected -= used
            count -= used
        if self.begun:
            self._wire.credit(count)
        else:
            self._uncredited += count
            self._wire.await_first(count)

    def _pass_on(self) -> None:
        if self._taker is not None and not self._goes_on:
            self._hand_over()
        if self.ready and not self._goes_on:
            self._wake()

    def _hand_over(self) -> None:
        """Gives messages to the taker, in order, while the reader waits. What needs a wait is left to the reader.

        Others may wait for the next turn of the event loop.
        """
        inbox, count, size = self._inbox, 0, 0
        while inbox and not inbox[0][0] and self._waiter is not None and not self._waiter.done():
            taker = self._taker
            if taker is None:
                return
            if count == FEW_MESSAGES or size >= _FEW_BYTES:
                self._goes_on = True
                self._loop.call_soon(self._go_on)
                return
            message = self._taken_at_once()
            count, size = count + 1, size + len(message)
            taker(message)

    def _go_on(self) -> None:
        self._goes_on = False
        self._pass_on()

    def break_off(self, refusal: CallRefused) -> None:
        """Ends the call: one of its messages is refused."""
        raise NotImplementedError

    @property
    def ready(self) -> bool:
        """Whether a reader has something to do."""
        return bool(self._inbox) or self.ended or self._refusal is not None or self._can_be_judged()

    def hold(self, count: int) -> None:
        """Counts the bytes of the headers while the call waits. Raises ConnectionFailedError."""
        self._kept = count
        self._wire.await_first(count)

    def late(self, now: float) -> bool:
        """Returns whether the first message, or a large one, is overdue."""
        if self.begun:
            return 0 < self.due < now
        return self.came + self._wire.limits.first_message_seconds < now

    def give_up(self) -> None:
        """Refuses the message that did not come in time."""
        self.due = 0.0
        self._refusal = MessageLate()
        self._drop()
        if self.begun:
            self.break_off(self._refusal)

    def begin(self) -> None:
        """Begins the call: its method reads from now on."""
        self.begun = True
        self._settle()

    def dispose(self) -> None:
        """Drops everything: nobody reads any more."""
        self.take_no_more()
        self._settle()
        self._drop()
        self._inbox.clear()

    def _settle(self) -> None:
        count, kept = self._uncredited, self._kept
        self._uncredited = self._kept = 0
        if count or kept:
            self._wire.await_first(-count - kept)
            self._wire.credit(count)

    def take_no_more(self) -> None:
        """Ends what `hand_to` began."""
        self._taker = None

    def _drop(self) -> None:
        self._chunks.clear()
        self._have = 0
        self._give_back()

    def _give_back(self) -> None:
        reserved, self._reserved = self._reserved, 0
        if reserved and self.account is not None:
            self._wire.room.give(self.account, reserved)

    def _feed(self, data: bytes) -> None:
        place, end = 0, len(data)
        while place < end or self._need == 0:
            if self._need < 0:
                place = self._measure(data, place)
                if self._need < 0:
                    return
            left = self._need - self._have
            if end - place < left:
                self._chunks.append(data[place:])
                self._have += end - place
                return
            self._chunks.append(data[place : place + left])
            place += left
            self._complete()

    def _measure(self, data: bytes, place: int) -> int:
        """Reads the prefix of a message as far as it has come. Returns the position behind it."""
        missing = PREFIX_BYTES - len(self._prefix)
        self._prefix += data[place : place + missing]
        if len(self._prefix) == PREFIX_BYTES:
            self._flag = self._prefix[0]
            self._need = int.from_bytes(self._prefix[1:])
            self._prefix = b""
            if self._need > self._wire.limits.message:
                self._refusal = MessageTooLarge(self._wire.limits.message)
            elif self._flag > 1 or (self._flag and self.opening.encoding not in _ENCODINGS):
                self._refusal = CallRefused("INTERNAL", "the message is encoded in a way that was not announced")
            if self._refusal is not None:
                self._need = -1
                return len(data)
        return place + missing

    def _complete(self) -> None:
        message = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._inbox.append((self._flag, message))
        self._queued += len(message)
        self._need, self._have, self.due = -1, 0, 0.0

    def _can_be_judged(self) -> bool:
        return self._need > UNPROVEN_BYTES and self._have >= BEGINNING_BYTES and not self._reserved

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # ---- For the method

    async def read(self) -> bytes | None:
        """Returns the next message; None after the last one. Raises CallRefused, and the errors of the judge."""
        while True:
            if self._inbox:
                self._taken_in_turn += 1
                if self._taken_in_turn > FEW_MESSAGES:
                    self._taken_in_turn = 0
                    await asyncio.sleep(0)
                return await self._taken()
            if self._refusal is not None:
                raise self._refusal
            if self.ended:
                if self._need >= 0 or self._prefix:
                    raise CallRefused("INTERNAL", "the last message is incomplete")
                return None
            if self._can_be_judged():
                await self._let_in()
                continue
            self._taken_in_turn = 0
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None

    def hand_to(self, taker: Callable[[bytes], None]) -> None:
        """Gives each message to the taker when it has come, in that turn of the event loop, while `read` waits.

        `read` still returns the messages that need a wait, and those that follow them. The taker must not raise; it may
        call `take_no_more`.
        """
        self._taker = taker

    async def _taken(self) -> bytes:
        flag = self._inbox[0][0]
        message = self._taken_at_once()
        if not flag:
            return message
        begun = beginning_of(message, self.opening.encoding, UNPROVEN_BYTES)
        if len(begun) >= UNPROVEN_BYTES:
            await self._identify(begun[:BEGINNING_BYTES])
        return await inflated(
            message, self.opening.encoding, most=self._wire.limits.message, room=self._wire.room, account=self.account
        )

    def _taken_at_once(self) -> bytes:
        """Returns the next message as it came."""
        _, message = self._inbox.popleft()
        self._queued -= len(message)
        self._give_back()
        if not self.ended:
            self._open_window()
        return message

    def _open_window(self) -> None:
        """Enlarges the window by the bytes that were taken, once they are half of it."""
        count = OPEN_WINDOW_BYTES - self._have - self._queued - (self.receive_window - self.expected)
        if count > OPEN_WINDOW_BYTES // 2:
            self.receive_window += count
            self._wire.announce(self.number, count)

    async def _identify(self, beginning: bytes) -> None:
        if not self.judged:
            self.account = await self._judge(beginning, self.opening.metadata, self._wire.peer)
            self.judged = True
            if not isinstance(self.account, str):
                self._wire.prove()

    async def _let_in(self) -> None:
        """Admits the large message that has begun, after identifying its sender and waiting for room."""
        if not self.judged:
            beginning = b"".join(self._chunks)
            if self._flag:
                beginning = beginning_of(beginning, self.opening.encoding, BEGINNING_BYTES)
            await self._identify(beginning[:BEGINNING_BYTES])
        if self.account is not None:
            await self._wire.room.take(self.account, self._need)
        self._reserved = self._need
        left = self._need - self._have
        self.due = self._loop.time() + self._wire.limits.slack_seconds + left / self._wire.limits.least_rate
        self.receive_window += left
        self.expected += left
        self._wire.expect(self.number, left)
