"""Answers of a model that takes a while arrive one by one; beside it a closed loop, whose answers come in bundles."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

from benchmarks.content import Content
from benchmarks.figures.rounds import Figure, Size, Subject, interleaved
from benchmarks.load.generators import Generators
from benchmarks.platform_stack import Running, Stack
from benchmarks.processes import module, running, wait_for_port
from benchmarks.talkers import answering
from mlplace_testing.ports import free_port

LEAST_MS, MOST_MS = 25, 75
FEW, MANY, LOOP = 32, 256, 64
OVER_GRPC, OVER_HTTP, BARE = "gateway, gRPC instance", "gateway, HTTP instance", "bare raw-ASGI proxy"
_AT_ONCE = ", answers at once"


def at_once(name: str) -> str:
    return name + _AT_ONCE


def measure(stack: Stack, content: Content, generators: Generators, size: Size) -> Figure:
    with ExitStack() as undo:
        gateway = undo.enter_context(stack.measuring("mlpgateway"))
        slow = undo.enter_context(_subjects(stack, content, gateway, "slow", (LEAST_MS, MOST_MS)))
        quick = undo.enter_context(_subjects(stack, content, gateway, "quick", (0, 0)))
        renamed = [Subject(at_once(one.name), one.port, one.pids, one.paths, one.headers) for one in quick]
        rows = interleaved(generators, slow, size, concurrency=(FEW, MANY))
        rows += interleaved(generators, renamed, size, concurrency=(LOOP,))
    return Figure("spread", rows, extra={"model_ms": [LEAST_MS, MOST_MS]})


@contextmanager
def _subjects(
    stack: Stack, content: Content, gateway: Running, name: str, takes_ms: tuple[int, int]
) -> Generator[Sequence[Subject]]:
    """The same model behind the gateway, at its gate and over HTTP, and behind the bare proxy."""
    bare, log = free_port(), stack.folder / "subjects.log"
    with (
        answering(stack, content, name, gateway, stack.gate_port, takes_ms) as model,
        running(
            module("benchmarks.subjects.bare_http_proxy", bare, model.port), cores=stack.cores.measured, log=log
        ) as proxy,
    ):
        wait_for_port(bare, proxy, log)
        yield [model.at_gate(OVER_GRPC), model.over_http(OVER_HTTP), Subject(BARE, bare, (proxy.pid,))]
