"""The gate's client of the reading process."""

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec
import structlog

from mlpgateway.call.call import Content
from mlpgateway.call.json_bodies import Read, read_fields
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.entry.large_bodies.messages import (
    Fields,
    Finding,
    Question,
    Refused,
    fields_with_texts,
    receive,
    send,
    with_texts,
)
from mlpgateway.entry.large_bodies.messages import Read as Found
from mlplace_kit.errors import Unavailable

log = structlog.get_logger(__name__)

APART_BYTES: Final = 4 * 1024 * 1024
"""Larger bodies are read by the process: the gate itself parses 4 MiB in ten milliseconds at most."""
_ANSWER_SECONDS = 10.0
"""Seconds. 100 MB take a third of a second on an idle machine."""


class LargeBodyReader:
    """Reads one body after the other. Starts its process with the first body, and again after it has died."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-bodies")
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process; None when there is none."""
        return self._process.pid if self._process else None

    async def read(self, read: Read, body: SharedBody, query: bytes) -> Content:
        """Returns `read(body, query)`. Raises MalformedRequest, ValidationFailed, Unavailable."""
        finding = await self._finding(Question(read.__name__, query, len(body)), body)
        if not isinstance(finding, Found):
            raise TypeError(finding)
        return with_texts(finding, body.view)

    async def fields(self, body: SharedBody) -> Mapping[str, msgspec.Raw]:
        """Returns `read_fields(body)`. Raises MalformedRequest, ValidationFailed, Unavailable."""
        finding = await self._finding(Question(read_fields.__name__, b"", len(body)), body)
        if not isinstance(finding, Fields):
            raise TypeError(finding)
        return fields_with_texts(finding, body.view)

    async def read_copy(self, read: Read, text: memoryview) -> Content:
        """Returns `read(text, b"")` for a text in other memory.

        Raises MalformedRequest, ValidationFailed, Unavailable.
        """
        asked = asyncio.get_running_loop().run_in_executor(self._thread, self._ask_about_copy, read.__name__, text)
        finding = _found(await asked)
        if not isinstance(finding, Found):
            raise TypeError(finding)
        return with_texts(finding, text)

    def _ask_about_copy(self, reads: str, text: memoryview) -> Finding:
        """One copy exists at a time: they are made in the one thread that asks."""
        return self._ask(Question(reads, b"", len(text)), SharedBody.of(text))

    async def _finding(self, question: Question, body: SharedBody) -> Finding:
        return _found(await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, question, body))

    def _ask(self, question: Question, body: SharedBody) -> Finding:
        """Asks the process, blocking a thread. Restarts the process once if it has died.

        A body that timed out is not tried again: it would delay the others once more.
        """
        for _ in range(2):
            try:
                gate = self._socket or self._start()
                socket.send_fds(gate, [b"\0"], [body.fd])
                send(gate, tuple(question))
                finding: Finding = receive(gate)
            except TimeoutError:
                log.warning("large_body_not_read_in_time", size=question.size, seconds=_ANSWER_SECONDS)
                self._end()
                break
            except (OSError, EOFError) as error:
                log.warning("reading_process_lost", error=repr(error), size=question.size)
                self._end()
            else:
                return finding
        raise Unavailable

    def _start(self) -> socket.socket:
        own, other = socket.socketpair()
        own.settimeout(_ANSWER_SECONDS)
        with other:
            command = [sys.executable, "-P", "-m", "mlpgateway.entry.large_bodies.process", str(other.fileno())]
            self._process = subprocess.Popen(  # noqa: S603  this program
                command, pass_fds=[other.fileno()], stdin=subprocess.DEVNULL
            )
        self._socket = own
        return own

    def _end(self) -> None:
        connection, self._socket = self._socket, None
        if connection is not None:
            connection.close()
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()

    async def close(self) -> None:
        """Stops the process after the body that is being read."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._end)
        self._thread.shutdown(wait=False)


def _found(finding: Finding) -> Finding:
    """Raises the error of a refusal."""
    if isinstance(finding, Refused):
        raise finding.error
    return finding
