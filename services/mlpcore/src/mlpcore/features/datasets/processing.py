"""Starts the program that works on contents, with bounds, and gives it the content."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

import structlog

from mlpcore.features.datasets.errors import DatasetPageTooLarge
from mlpcore.features.datasets.formats.contents import Change, Checked
from mlpcore.features.datasets.formats.findings import Finding
from mlpcore.features.datasets.formats.problems import BadContentError
from mlpcore.transfers import Transfers
from mlplace_kit.errors import DomainError, Unavailable

log = structlog.get_logger(__name__)

_PROGRAM: Final = "mlpcore.features.datasets.formats.program"
_MEMORY: Final = 320 * 1024 * 1024
"""Bytes of the address space; the interpreter takes a third of them."""
_LEAST_SECONDS: Final = 20
_PAGE_SECONDS: Final = 60
_BYTES_A_SECOND: Final = 2 * 1024 * 1024
"""Several times slower than an ordinary content of any type is read and written."""
_MOST_PAGE: Final = 4 * 1024 * 1024
_MOST_ANSWER: Final = 2 * _MOST_PAGE
_SIGNALS_OF_BOUNDS: Final = frozenset({-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT})
_TOO_COMPLEX: Final[dict[str, Any]] = {"problem": "too_complex", "line": 1, "column": 1, "details": {}}
_VARIABLES: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
"""What the program inherits: it reads hostile bytes, so it gets no secret of the service."""
_WAITING_FACTOR: Final = 3
"""How much longer than its processor time the program may run: other programs use the processors, too."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A content to read: a file, or the pieces of an object; neither of them is an empty table. `size` is in bytes."""

    data_type: str
    columns: Sequence[str] | None
    size: int
    file: BinaryIO | None = None
    pieces: AsyncIterator[bytes] | None = None


class Processing:
    """Each method raises BadContentError, and Unavailable if the program cannot be started or fails."""

    def __init__(self, transfers: Transfers) -> None:
        self._transfers = transfers

    async def check(self, account_id: int, content: Stored) -> Checked:
        found = await self._run(account_id, "check", content, {})
        columns = found["columns"]
        warnings = tuple(Finding(code, args) for code, args in found["warnings"])
        return Checked(found["rows"], None if columns is None else tuple(columns), warnings)

    async def convert(
        self, account_id: int, content: Stored, target: str, output: BinaryIO, *, most: int, refusal: DomainError
    ) -> int:
        """Writes the content as another data type, and returns its size. Raises `refusal` above `most` bytes."""
        return await self._write(account_id, "convert", content, {"target": target}, output, most, refusal)

    async def change(
        self,
        account_id: int,
        content: Stored,
        changes: Sequence[Change],
        added: Sequence[Sequence[str]],
        output: BinaryIO,
        *,
        most: int,
        refusal: DomainError,
    ) -> int:
        """Like `convert`, with other rows."""
        args = {"changes": [[each.row, each.values] for each in changes], "added": added}
        return await self._write(account_id, "change", content, args, output, most, refusal)

    async def page(self, account_id: int, content: Stored, *, first: int, size: int) -> list[list[str]]:
        """Returns rows. Raises DatasetPageTooLarge. Does not wait behind checks and conversions."""
        answer = await self._run(account_id, "page", content, {"first": first, "size": size}, seconds=_PAGE_SECONDS)
        if "too_large" in answer:
            raise DatasetPageTooLarge(limit=str(_MOST_PAGE))
        rows: list[list[str]] = answer["rows"]
        return rows

    async def _write(
        self,
        account_id: int,
        operation: str,
        content: Stored,
        args: Mapping[str, Any],
        output: BinaryIO,
        most: int,
        refusal: DomainError,
    ) -> int:
        answer = await self._run(account_id, operation, content, args, output=output, written=most)
        if "too_large" in answer:
            raise refusal
        size: int = answer["size"]
        return size

    async def _run(
        self,
        account_id: int,
        operation: str,
        content: Stored,
        args: Mapping[str, Any],
        *,
        output: BinaryIO | None = None,
        written: int = 0,
        seconds: int | None = None,
    ) -> dict[str, Any]:
        """`seconds`: of the processor, for a brief operation; None: what the size of the content allows."""
        brief = seconds is not None
        seconds = _LEAST_SECONDS + content.size // _BYTES_A_SECOND if seconds is None else seconds
        files = [file.fileno() for file in (content.file, output) if file is not None]
        request = {
            "operation": operation,
            "data_type": content.data_type,
            "columns": None if content.columns is None else list(content.columns),
            "content": None if content.file is None else content.file.fileno(),
            "empty": content.file is None and content.pieces is None,
            "output": None if output is None else output.fileno(),
            "memory": _MEMORY,
            "seconds": seconds,
            "written": written,
            "answered": _MOST_PAGE,
            "args": args,
        }
        async with self._transfers.turn(account_id, brief=brief):
            answer = await _answer(json.dumps(request).encode() + b"\n", content.pieces, files, seconds)
        if "problem" in answer:
            raise BadContentError(answer["problem"], line=answer["line"], column=answer["column"], **answer["details"])
        return answer


async def _answer(
    request: bytes, pieces: AsyncIterator[bytes] | None, files: Sequence[int], seconds: int
) -> dict[str, Any]:
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", _PROGRAM, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            pass_fds=files, env=_environment(), limit=_MOST_ANSWER,
        )  # fmt: skip
    except OSError as error:
        log.warning("content_program_not_started", error=repr(error))
        raise Unavailable from error
    feeding = asyncio.create_task(_feed(process, request, pieces))
    reading = asyncio.create_task(_read(process))
    try:
        async with asyncio.timeout(seconds * _WAITING_FACTOR):
            await asyncio.wait({feeding, reading}, return_when=asyncio.FIRST_COMPLETED)
            if feeding.done():
                feeding.result()  # a content that cannot be read to its end is no answer
            written, status = await reading, await process.wait()
    except TimeoutError:
        log.warning("content_program_late", seconds=seconds * _WAITING_FACTOR)
        raise Unavailable from None
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        feeding.cancel()
        reading.cancel()
        await asyncio.shield(asyncio.gather(feeding, reading, process.wait(), return_exceptions=True))
    return _parsed(written, status)


def _environment() -> dict[str, str]:
    found = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    return {**found, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _parsed(written: bytes, status: int) -> dict[str, Any]:
    """The kernel ends a program that exceeds its bounds, and expat may end it when it gets no memory.

    Raises Unavailable if the program has failed otherwise: the temporary folder may be full.
    """
    if status in _SIGNALS_OF_BOUNDS:
        log.warning("content_program_stopped", status=status)
        return _TOO_COMPLEX
    try:
        answer: dict[str, Any] = json.loads(written)
    except ValueError as error:
        log.exception("content_program_failed", status=status)
        raise Unavailable from error
    return answer


async def _feed(process: asyncio.subprocess.Process, request: bytes, pieces: AsyncIterator[bytes] | None) -> None:
    """A program that has read enough closes its end: then the rest is not needed."""
    if process.stdin is None:
        raise RuntimeError("the program was started without a pipe")
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(request)
        await process.stdin.drain()
        if pieces is not None:
            async for piece in pieces:
                process.stdin.write(piece)
                await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _read(process: asyncio.subprocess.Process) -> bytes:
    if process.stdout is None:
        raise RuntimeError("the program was started without a pipe")
    parts: list[bytes] = []
    left = _MOST_ANSWER
    while part := await process.stdout.read(left):
        parts.append(part)
        left -= len(part)
        if left <= 0:
            break
    return b"".join(parts)
