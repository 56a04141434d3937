"""Calls on the warm path, and the same calls at a gate without it."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

from benchmarks.content import Content
from benchmarks.figures.rounds import Figure, Row, Size, Subject, interleaved
from benchmarks.figures.spread_answers import LEAST_MS, LOOP, MANY, MOST_MS
from benchmarks.load.generators import Generators
from benchmarks.machine import pin
from benchmarks.platform_stack import Running, Stack
from benchmarks.talkers import answering

WARM, ORDINARY = "warm path", "ordinary way"
OVER_GRPC, OVER_HTTP = "gRPC instance", "HTTP instance"
_SLOW, _QUICK = "slow", "quick"


def row_name(instance: str, way: str, *, at_once: bool) -> str:
    return f"{instance}, {way}{', answers at once' if at_once else ''}"


def measure(stack: Stack, content: Content, generators: Generators, size: Size) -> Figure:
    """Both gates are on the measured core, and only one of them works at a time."""
    with ExitStack() as undo:
        gates = {WARM: (undo.enter_context(stack.measuring("mlpgateway")), stack.gate_port)}
        gates[ORDINARY] = undo.enter_context(stack.another_gate(MLP_MLPGATEWAY_WARM_CALLS="false"))
        pin(gates[ORDINARY][0].process.pid, stack.cores.measured)
        rows: list[Row] = []
        for kind, takes_ms, callers in ((_SLOW, (LEAST_MS, MOST_MS), MANY), (_QUICK, (0, 0), LOOP)):
            with _subjects(stack, content, gates, kind, takes_ms) as subjects:
                rows += interleaved(generators, subjects, size, concurrency=(callers,))
    return Figure("warm", rows, extra={"model_ms": [LEAST_MS, MOST_MS]})


@contextmanager
def _subjects(
    stack: Stack, content: Content, gates: dict[str, tuple[Running, int]], kind: str, takes_ms: tuple[int, int]
) -> Generator[Sequence[Subject]]:
    """The same model at each gate. It has no queue: gates share those, and one gate would work for the other."""
    with ExitStack() as undo:
        found: list[Subject] = []
        for way, (gate, port) in gates.items():
            name = f"{kind}-{way.partition(' ')[0]}"
            model = undo.enter_context(answering(stack, content, name, gate, port, takes_ms, queued=False))
            at_once = kind == _QUICK
            found.append(model.at_gate(row_name(OVER_GRPC, way, at_once=at_once)))
            found.append(model.predict_over_http(row_name(OVER_HTTP, way, at_once=at_once)))
        yield sorted(found, key=lambda subject: subject.name)
