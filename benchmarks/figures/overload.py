"""More calls than a model or a gate has room for: which are refused, how fast, and the effect on others."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import uvloop

from benchmarks.content import Content
from benchmarks.figures.rounds import Figure, Row, Size, Subject, from_values
from benchmarks.load.by_clock import Arrivals, Call
from benchmarks.load.over_http import request_of
from benchmarks.machine import pin
from benchmarks.platform_stack import Stack
from benchmarks.processes import cpu_seconds, most_resident_bytes, resident_bytes
from benchmarks.spread import percentile
from benchmarks.talkers import working

QUEUE, GATE = "as many calls wait for one service as may", "as many calls are in progress as a gate takes"
ROOM = 1000
_WORK_MS = 10
_TIMES = 3
_PER_SECOND = _TIMES * 1000 / _WORK_MS
_UNHURRIED = 256
_HEALTH_PER_SECOND = 20
_SECONDS = 8.0
_MOST_ROUNDS = 3
_FEWEST = 20
_TIMEOUT_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Flood:
    """The calls that were due during the overload, and the gate's share of a core."""

    calls: Sequence[Call]
    health: Sequence[Call]
    seconds: float
    cpu_share: float

    @property
    def refused(self) -> list[Call]:
        return [call for call in self.calls if not call.good]

    def figures(self) -> dict[str, float]:
        refused, health = _ordered_ms(self.refused), _ordered_ms(self.health)
        waits = _ordered_ms([call for call in self.calls if call.good])
        return {
            "calls_per_second": len(self.calls) / self.seconds,
            "refused_per_second": len(refused) / self.seconds,
            "improper": sum(not call.refused_properly for call in self.refused),
            "refused_p50_ms": percentile(refused, 0.50),
            "refused_p99_ms": percentile(refused, 0.99),
            "refused_worst_ms": refused[-1],
            "health_unanswered": sum(not call.good for call in self.health),
            "health_p99_ms": percentile(health, 0.99),
            "health_worst_ms": health[-1],
            "wait_p50_s": percentile(waits, 0.50) / 1000 if waits else 0.0,
            "wait_worst_s": waits[-1] / 1000 if waits else 0.0,
            "cpu_share": self.cpu_share,
        }


def measure(stack: Stack, content: Content, size: Size) -> Figure:
    """Each row uses a new gate."""
    room = size.of(ROOM)
    settings: dict[str, Mapping[str, object]] = {
        QUEUE: {"MLP_MLPGATEWAY_WAITING_CALLS_PER_MODEL": room},
        GATE: {"MLP_MLPGATEWAY_MOST_CALLS": room, "MLP_MLPGATEWAY_UNHURRIED_CALLS": size.of(_UNHURRIED)},
    }
    own = Size(min(size.rounds, _MOST_ROUNDS), max(1.0, _SECONDS * size.share), 0.0, size.share)
    answers: dict[str, Mapping[str, int]] = {}
    rows: list[Row] = []
    for name, env in settings.items():
        row, answers[name] = _row(stack, content, name, env, own)
        rows.append(row)
    return Figure("overload", rows, extra={"room": room, "times": _TIMES, "answers": answers})


def _row(
    stack: Stack, content: Content, name: str, env: Mapping[str, object], size: Size
) -> tuple[Row, Mapping[str, int]]:
    values: dict[str, list[float]] = {}
    answers: Counter[str] = Counter()
    service = "flooded-queue" if name == QUEUE else "flooded-gate"
    with (
        stack.another_gate(**env) as (gate, grpc_port),
        working(stack, content, service, gate, grpc_port, milliseconds=_WORK_MS) as subject,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        pid = gate.process.pid
        pin(pid, stack.cores.measured)
        before = resident_bytes(pid)
        for _ in range(size.rounds):
            flood = runner.run(_flood(subject, size.seconds))
            memory = {
                "growth_mb": max(0.0, most_resident_bytes(pid) - before) / 1e6,
                "kept_mb": max(0.0, resident_bytes(pid) - before) / 1e6,
            }
            for figure, value in (flood.figures() | memory).items():
                values.setdefault(figure, []).append(value)
            answers.update(f"{call.status} {call.code}".strip() for call in flood.calls)
    print(f"  {name}: {values} {answers}", file=sys.stderr, flush=True)
    return from_values(name, 0, values), dict(answers)


async def _flood(subject: Subject, seconds: float) -> Flood:
    """The window begins with the first refusal, and lasts long enough for a few refusals on a slow machine."""
    nothing = Size(1, 0.0, 0.0, 1.0)
    health = Subject("", subject.port, (), ("/health/live",), json_body="", method="GET").order(1, nothing)
    calls = Arrivals(subject.port, request_of(subject.order(1, nothing), subject.paths[0]), per_second=_PER_SECOND)
    questions = Arrivals(subject.port, request_of(health, health.paths[0]), per_second=_HEALTH_PER_SECOND)
    arriving = [asyncio.create_task(calls.run())]
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            await calls.first_refusal.wait()
        arriving.append(asyncio.create_task(questions.run()))
        began, cpu = time.perf_counter(), cpu_seconds(subject.pids)
        await asyncio.sleep(seconds)
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            while len(calls.refused_since(began)) < _FEWEST:  # noqa: ASYNC110  seldom
                await asyncio.sleep(0.05)
        ended, used = time.perf_counter(), cpu_seconds(subject.pids) - cpu
    finally:
        for task in arriving:
            task.cancel()
        await asyncio.gather(*arriving, return_exceptions=True)
    await questions.rest(_TIMEOUT_SECONDS)
    await calls.rest(_TIMEOUT_SECONDS)
    within = [call for call in calls.calls if began <= call.due <= ended]
    return Flood(within, questions.calls, ended - began, used / (ended - began))


def _ordered_ms(calls: Sequence[Call]) -> list[float]:
    return sorted(call.seconds * 1000 for call in calls)
