"""An open-loop load: calls are sent at fixed times, even while earlier calls wait for answers."""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import cast

import httptools

_OK = 200


@dataclass(slots=True)
class Call:
    """`seconds` is the time from the scheduled start, by `time.perf_counter`, to the end of the answer.

    Without an answer `status` is 0 and `code` says why.
    """

    due: float
    seconds: float = 0.0
    status: int = 0
    code: str = "no answer"
    retry_after: str = ""

    @property
    def good(self) -> bool:
        return self.status == _OK

    @property
    def refused_properly(self) -> bool:
        """Whether it is a temporary refusal that says when to retry."""
        return self.status in (429, 503) and self.retry_after.isdigit() and int(self.retry_after) > 0


class Arrivals:
    """Calls at an even pace over HTTP/1.1. Each uses a free connection or a new one.

    Run `run` while calls should be sent, then `rest`.
    """

    def __init__(self, port: int, request: bytes, *, per_second: float) -> None:
        self.calls: list[Call] = []
        self.first_refusal = asyncio.Event()
        self._port = port
        self._request = request
        self._pace = 1 / per_second
        self._pending = 0
        self._settled = asyncio.Event()
        self._free: list[_Connection] = []
        self._connections: set[_Connection] = set()
        self._connecting: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Runs until cancelled."""
        due = time.perf_counter()
        while True:
            due += self._pace
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            self._send(Call(due))

    def refused_since(self, moment: float) -> list[Call]:
        """Refused calls that were due at `moment` or later."""
        return [call for call in self.calls if call.due >= moment and call.seconds and not call.good]

    async def rest(self, seconds: float) -> None:
        """Wait for the answers of all calls, at most `seconds`; then close all connections."""
        try:
            async with asyncio.timeout(seconds):
                while self._pending:
                    self._settled.clear()
                    await self._settled.wait()
        except TimeoutError:
            pass  # these calls have no answer, which their `status` shows
        finally:
            for connecting in self._connecting:
                connecting.cancel()
            for connection in list(self._connections):
                connection.close()

    def _send(self, call: Call) -> None:
        self.calls.append(call)
        self._pending += 1
        if self._free:
            self._free.pop().ask(self._request, call)
            return
        connecting = asyncio.create_task(self._connect(call))
        self._connecting.add(connecting)
        connecting.add_done_callback(self._connecting.discard)

    async def _connect(self, call: Call) -> None:
        loop = asyncio.get_running_loop()
        try:
            _, connection = await loop.create_connection(lambda: _Connection(self), "127.0.0.1", self._port)
        except OSError as error:
            call.code = f"not connected: {error!r}"
            self.settle(call)
            return
        self._connections.add(connection)
        connection.ask(self._request, call)

    def settle(self, call: Call) -> None:
        call.seconds = time.perf_counter() - call.due
        if not call.good:
            self.first_refusal.set()
        self._pending -= 1
        self._settled.set()

    def keep(self, connection: "_Connection") -> None:
        self._free.append(connection)

    def forget(self, connection: "_Connection") -> None:
        self._connections.discard(connection)
        if connection in self._free:
            self._free.remove(connection)


class _Connection(asyncio.Protocol):
    """Handles one call at a time."""

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals = arrivals
        self._parser = httptools.HttpResponseParser(self)
        self._call: Call | None = None
        self._body = b""
        self._retry_after = ""

    def ask(self, request: bytes, call: Call) -> None:
        self._call, self._body, self._retry_after = call, b"", ""
        if self._transport.is_closing():
            self.connection_lost(None)
        else:
            self._transport.write(request)

    def close(self) -> None:
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"retry-after":
            self._retry_after = value.decode(errors="replace")

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        call.status, call.retry_after = self._parser.get_status_code(), self._retry_after
        call.code = "" if call.good else _code(self._body)
        self._arrivals.settle(call)
        if self._parser.should_keep_alive():
            self._arrivals.keep(self)

    def connection_lost(self, exc: Exception | None) -> None:
        call, self._call = self._call, None
        if call is not None:
            call.code = f"connection lost: {exc!r}"
            self._arrivals.settle(call)
        self._arrivals.forget(self)


def _code(body: bytes) -> str:
    """The error code in an error of the platform."""
    try:
        return str(json.loads(body)["code"])
    except (ValueError, TypeError, KeyError):
        return body[:100].decode(errors="replace")
