"""Thousands of idle instances and callers at one gate."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict

import httpx
import psutil

from benchmarks.content import OWNER, Content, add_service, instance_of, signed_in, tell
from benchmarks.figures.rounds import Figure, Row, Size, Subject, from_values
from benchmarks.machine import on
from benchmarks.platform_stack import Running, Stack, wait
from benchmarks.processes import ROOT, cpu_seconds, module, most_open_files
from benchmarks.talkers import talking

EACH = 5_000
NOBODY, INSTANCES = "nobody", "idle instances"
BETWEEN = "idle instances and callers between two calls"
WAITING = "idle instances and callers that wait for the next part of a stream"
_FIRST_INSTANCE = 4_000_000_000
_SPARE_FILES = 500
_SECONDS = 10.0
_MOST_ROUNDS = 2
_LOOK_SECONDS = 0.5
_REST_SECONDS = 3.0
_LONGEST_BEAT_SECONDS = 55.0
_SILENT_MS = 600_000


def measure(stack: Stack, content: Content, size: Size) -> Figure:
    """Measures one state after the other, each after the first heartbeat of all instances: then heartbeats are even."""
    files = most_open_files()
    each = min(max(size.of(EACH), 10), (files - _SPARE_FILES) // 2)
    tokens = wait(_instances(stack, content, each))
    rows: list[Row] = []
    rounds = Size(min(size.rounds, _MOST_ROUNDS), max(1.0, _SECONDS * size.share), 0.0, size.share)
    with stack.measuring("mlpgateway") as gate:
        once = Subject("", gate.port, (), (content.call_path,), content.call_headers)
        rows.append(_row(NOBODY, 0, gate, rounds))
        with _crowd(stack, module("benchmarks.subjects.crowd", stack.gate_port), "\n".join([*tokens, "", ""])):
            time.sleep(_LONGEST_BEAT_SECONDS * size.share)
            rows.append(_row(INSTANCES, each, gate, rounds))
            with _bystanders(stack, once, each):
                rows.append(_row(BETWEEN, each, gate, rounds))
            with talking(
                stack, content, "silence", [(gate, stack.gate_port)], frames=2, pace_ms=_SILENT_MS
            ) as silence, _bystanders(stack, silence.events("", gate), each):  # fmt: skip
                rows.append(_row(WAITING, each, gate, rounds))
    return Figure("idle", rows, extra={"each": each})


async def _instances(stack: Stack, content: Content, count: int) -> list[str]:
    """Returns tokens of new instances, published as mlpcore does; creating them at mlpcore would take much longer."""
    async with signed_in(stack, OWNER) as owner:
        model_id = await add_service(owner, content.owner_id, "crowd", {}, priced=False)
    numbers = range(_FIRST_INSTANCE, _FIRST_INSTANCE + count)
    made = [instance_of(stack, model_id, content.owner_id, number) for number in numbers]
    await tell(stack, *(changed for _, changed in made))
    return [token for token, _ in made]


def _bystanders(stack: Stack, subject: Subject, count: int):  # noqa: ANN202  as _crowd
    order = subject.order(count, Size(1, 0.0, 0.0, 1.0))
    return _crowd(stack, module("benchmarks.subjects.bystanders"), json.dumps(asdict(order)) + "\n")


@contextmanager
def _crowd(stack: Stack, command: list[str], said: str) -> Generator[None]:
    """Run many clients in one process. Raises RuntimeError if some of them were refused or disconnected."""
    with on(stack.cores.others):
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError
        process.stdin.write(said)
        process.stdin.flush()
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{command[2]} ended with {process.wait()}")
        yield
        if process.poll() is not None:
            raise RuntimeError(f"{command[2]} lost a connection")
    finally:
        process.kill()
        process.communicate()


def _row(name: str, concurrency: int, gate: Running, size: Size) -> Row:
    time.sleep(_REST_SECONDS * min(1.0, size.share * 5))
    values: dict[str, list[float]] = {}
    for _ in range(size.rounds):
        for figure, value in wait(_look(gate, size.seconds)).items():
            values.setdefault(figure, []).append(value)
    print(f"  {name}: {values}", file=sys.stderr, flush=True)
    return from_values(name, concurrency, values)


async def _look(gate: Running, seconds: float) -> dict[str, float]:
    """`health_ms` is the longest wait for an answer of the gate's health check."""
    pid = gate.process.pid
    waited: list[float] = []
    async with httpx.AsyncClient(base_url=gate.url, timeout=30) as client:
        await client.get("/health/live")
        began, cpu = time.perf_counter(), cpu_seconds([pid])
        while time.perf_counter() - began < seconds:
            asked = time.perf_counter()
            (await client.get("/health/live")).raise_for_status()
            waited.append(time.perf_counter() - asked)
            await asyncio.sleep(_LOOK_SECONDS)
        passed, used = time.perf_counter() - began, cpu_seconds([pid]) - cpu
    return {
        "rss_mb": psutil.Process(pid).memory_info().rss / 1e6,
        "cpu_share": used / passed,
        "health_ms": max(waited) * 1000,
    }
