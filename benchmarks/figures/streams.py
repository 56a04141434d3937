"""Many streams of events at once, at the pace of spoken words, over two gates."""

from collections.abc import Sequence

from benchmarks.content import Content
from benchmarks.figures.rounds import Figure, Row, Size, Subject, row_of
from benchmarks.load.generators import Generators, Sample
from benchmarks.machine import Cores, pin
from benchmarks.platform_stack import Running, Stack
from benchmarks.talkers import talking

STREAMS = 512
PACE_MS = 20
_FRAMES = 100
_SECONDS, _WARM_UP = 8.0, 4.0
_MOST_ROUNDS = 2
EVENTS, CHAT = "the platform's stream of events", "chat completions"
QUEUED = "chat completions, queued by one gate for both"


def measure(stack: Stack, content: Content, size: Size) -> Figure:
    """Half of the streams at each gate, for each kind of stream in turn."""
    shorter = min(1.0, size.share * 5)
    frames = int(_FRAMES * shorter)
    own = Size(min(size.rounds, _MOST_ROUNDS), _SECONDS * shorter, _WARM_UP * shorter, size.share)
    first = stack.services["mlpgateway"]
    with stack.another_gate() as (second, port), Generators(stack.cores, 2) as generators:
        gates = [(first, stack.gate_port), (second, port)]
        layout = _spread([first, second], stack.cores)
        with (
            talking(stack, content, "words", gates, frames=frames, pace_ms=PACE_MS, queued=False) as words,
            talking(stack, content, "queued-words", gates, frames=frames, pace_ms=PACE_MS) as queued,
        ):
            ways = {
                EVENTS: [words.events(EVENTS, gate) for gate, _ in gates],
                CHAT: [words.chat(CHAT, gate, stream=True) for gate, _ in gates],
                QUEUED: [queued.chat(QUEUED, gate, stream=True) for gate, _ in gates],
            }
            rows = _rounds(generators, ways, own)
        pin(first.process.pid, stack.cores.others)
    return Figure("streams", rows, extra={"streams": _of(size) * 2, "pace_ms": PACE_MS, "layout": layout})


def _of(size: Size) -> int:
    return max(2, size.of(STREAMS // 2))


def _rounds(generators: Generators, ways: dict[str, list[Subject]], size: Size) -> list[Row]:
    """One row for each gate, so that losses at one gate are not hidden by the other."""
    samples: dict[tuple[str, int], list[Sample]] = {}
    for _ in range(size.rounds):
        for name, subjects in ways.items():
            orders = [subject.order(_of(size), size) for subject in subjects]
            for gate, sample in enumerate(generators.fulfil_each(*orders), 1):
                samples.setdefault((name, gate), []).append(sample)
    return [row_of(f"{name}, gate {gate}", _of(size), found) for (name, gate), found in samples.items()]


def _spread(gates: Sequence[Running], cores: Cores) -> str:
    """Describes which cores the processes use. Separate cores for the gates need at least four."""
    usable = sorted(cores.measured | cores.others)
    alone = cores.pinned and len(usable) >= 4
    for place, gate in enumerate(gates, 1):
        pin(gate.process.pid, frozenset(usable[-place:][:1]) if alone else frozenset(usable))
    if alone:
        return "each gate on a core of its own"
    return f"both gates, the instance and the two load generators share {len(usable)} cores"
