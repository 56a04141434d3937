"""Large requests and answers: the memory that a gate uses for them."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial

from benchmarks.content import Content
from benchmarks.figures.rounds import Figure, Size, from_values
from benchmarks.platform_stack import Running, Stack, wait
from benchmarks.processes import (
    cpu_seconds,
    module,
    most_resident_bytes,
    resident_bytes,
    wait_for_port,
)
from benchmarks.talkers import HttpService, Talker, served_over_http, talking
from mlplace_testing.ports import free_port

BYTES = 100_000_000
_PIECE = b"x" * 65_536
_BEYOND = 200_000_000
_MOST_ROUNDS = 3
_OK, _TOO_LARGE = 200, 413
_TO_HTTP, _FROM_HTTP = "request to an HTTP instance", "answer of an HTTP instance"
_TO_GRPC, _FROM_GRPC = "request to a gRPC instance", "answer of a gRPC instance"
DECLARED, UNDECLARED = "request beyond the bound, of known length", "request beyond the bound, of unknown length"

Transfer = Callable[[], Coroutine[object, object, None]]


@dataclass(frozen=True, slots=True)
class _Way:
    """A request with `size` bytes of `x`, in quotation marks if it must be JSON."""

    path: str
    headers: dict[str, str]
    size: int
    expected: int = _OK
    quoted: bool = False
    chunked: bool = False


def measure(stack: Stack, content: Content, size: Size) -> Figure:
    rounds = Size(min(size.rounds, _MOST_ROUNDS), size.seconds, size.warm_up, size.share)
    port = free_port()
    with stack.helping(module("benchmarks.subjects.warehouse", port)) as process:
        wait_for_port(port, process, stack.folder / "instance.log")
        with (
            stack.measuring("mlpgateway") as gate,
            served_over_http(stack, content, "warehouse", gate, port) as warehouse,
            talking(stack, content, "reader", [(gate, stack.gate_port)], frames=1, pace_ms=0) as reader,
        ):
            transfers = _transfers(gate, warehouse, reader, size.of(BYTES))
            values: dict[str, dict[str, list[float]]] = {name: {} for name in transfers}
            for _ in range(rounds.rounds):
                for name, transfer in transfers.items():
                    for figure, value in _measured(gate, transfer, size.of(BYTES)).items():
                        values[name].setdefault(figure, []).append(value)
    return Figure("bodies", [from_values(name, 1, found) for name, found in values.items()], extra={"bytes": BYTES})


def _transfers(gate: Running, warehouse: HttpService, reader: Talker, size: int) -> dict[str, Transfer]:
    """Transfers that may enlarge the process come last."""
    through = warehouse.headers
    json_to = reader.predict_path, reader.predict_headers
    name = f"{size / 1e6:g} MB, "
    return {
        name + _TO_HTTP: partial(_send, gate.port, _Way(f"{warehouse.path}/take", through, size)),
        name + _FROM_HTTP: partial(_receive, gate.port, f"{warehouse.path}/give/{size}", through, size),
        DECLARED: partial(_send, gate.port, _Way(*json_to, _BEYOND, _TOO_LARGE)),
        UNDECLARED: partial(_send, gate.port, _Way(*json_to, _BEYOND, _TOO_LARGE, chunked=True)),
        name + _TO_GRPC: partial(_send, gate.port, _Way(*json_to, size, quoted=True)),
        name + _FROM_GRPC: partial(_receive, gate.port, *json_to, size, asking=b'{"give": %d}' % size),
    }


def _measured(gate: Running, transfer: Transfer, size: int) -> dict[str, float]:
    pid = gate.process.pid
    before, cpu, began = resident_bytes(pid), cpu_seconds([pid]), time.perf_counter()
    wait(transfer())
    took = time.perf_counter() - began
    return {
        "extra_mb": max(0.0, most_resident_bytes(pid) - before) / 1e6,
        "cpu_ms": (cpu_seconds([pid]) - cpu) * 1000,
        "mb_per_second": size / 1e6 / took,
    }


async def _send(port: int, way: _Way) -> None:
    """Raises RuntimeError for an unexpected answer. Stops sending when the request is refused."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    length = "transfer-encoding: chunked" if way.chunked else f"content-length: {way.size}"
    writer.write(_head("POST", way.path, {**way.headers, "content-type": "application/json"}, length))
    sending = asyncio.create_task(_pour(writer, way))
    answered = asyncio.create_task(reader.readuntil(b"\r\n\r\n"))
    try:
        status = int((await answered).split(b" ", 2)[1])
        if status != way.expected:
            rest = await reader.read(500)
            raise RuntimeError(f"{way.path} answered {status}: {rest.decode(errors='replace')}")
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        writer.close()


async def _pour(writer: asyncio.StreamWriter, way: _Way) -> None:
    for at in range(0, way.size, len(_PIECE)):
        piece = _PIECE[: way.size - at]
        if way.quoted:
            piece = (b'"' if at == 0 else b"x") + piece[1:-1] + (b'"' if at + len(piece) == way.size else b"x")
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if way.chunked else piece)
        await writer.drain()
    if way.chunked:
        writer.write(b"0\r\n\r\n")


async def _receive(port: int, path: str, headers: dict[str, str], size: int, *, asking: bytes = b"") -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    method, length = ("POST", f"content-length: {len(asking)}") if asking else ("GET", "accept: */*")
    writer.write(_head(method, path, headers, length) + asking)
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(f"{path} answered {head.decode(errors='replace')}")
        left = size
        while left:
            piece = await reader.read(len(_PIECE))
            if not piece:
                raise RuntimeError(f"{path} ended {left} bytes before its end")
            left -= len(piece)
    finally:
        writer.close()


def _head(method: str, path: str, headers: dict[str, str], *more: str) -> bytes:
    fields = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"{method} {path} HTTP/1.1", "host: 127.0.0.1", *fields, *more, "", ""]).encode()
