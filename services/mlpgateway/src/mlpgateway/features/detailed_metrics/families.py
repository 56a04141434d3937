"""The metrics by name. Each gate counts its own calls: sums over the gates are those of the installation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mlpgateway.policy.call_samples.counts import largest_of
from mlpgateway.policy.call_samples.totals import CallerSums, CallSums
from mlplace_runtime.telemetry.exposition import Buckets, Pieces, family, histogram

_MILLI: Final = 1000
_BOUNDS: Final = tuple(
    (bucket, f"{largest_of(bucket) / _MILLI:.4g}") for bucket in (1, 9, 17, 21, 26, 30, 34, 38, 42, 47, 52, 58, 64, 70)
)
"""Buckets whose upper ends are bounds here: 1, 5, 22, 46, 114, 237 and 493 ms, 1, 2, 5, 13, 39, 117 and 349 s."""
Counted = Sequence[tuple[str, CallSums]]
"""The labels of account, model and instance, and what was counted."""


def pieces_of(calls: Counted, callers: Sequence[tuple[str, CallerSums]]) -> Pieces:
    """Returns all metrics in the text format of Prometheus. `callers`: by the label of the account."""

    def counter(name: str, text: str, value: Callable[[CallSums], float]) -> Pieces:
        return family(name, "counter", text, ((of, value(sums)) for of, sums in calls))

    yield from family("mlp_model_calls_total", "counter", "Calls that ended, by outcome", _outcomes(calls))
    yield from counter(
        "mlp_model_active_call_seconds_total",
        "Seconds that calls spent at instances; the rate is the number of active calls",
        lambda sums: sums.active_ms / _MILLI,
    )
    yield from counter(
        "mlp_model_waiting_call_seconds_total",
        "Seconds that calls waited for an instance; the rate is the number of waiting calls",
        lambda sums: sums.waiting_ms / _MILLI,
    )
    yield from counter(
        "mlp_model_reconnects_total", "Streams that the instance opened again", lambda sums: sums.reconnects
    )
    yield from histogram(
        "mlp_model_answer_seconds",
        "Time of the model for answered calls",
        ((of, _buckets(sums.times), sums.time_ms / _MILLI) for of, sums in calls),
    )
    yield from histogram(
        "mlp_model_wait_seconds",
        "Waits of the calls that had to wait",
        ((of, _buckets(sums.waits), sums.wait_ms / _MILLI) for of, sums in calls),
    )
    yield from family(
        "mlp_account_calls_total",
        "counter",
        "Calls that the account made; its limit of calls per second refused those with the outcome exceeded",
        _of_callers(callers),
    )


def _outcomes(calls: Counted) -> Iterator[tuple[str, float]]:
    for of, sums in calls:
        yield f'{of},outcome="answered"', sums.answered
        yield f'{of},outcome="failed"', sums.failed
        yield f'{of},outcome="refused"', sums.refused


def _of_callers(callers: Sequence[tuple[str, CallerSums]]) -> Iterator[tuple[str, float]]:
    for of, sums in callers:
        yield f'{of},outcome="allowed"', sums.allowed
        yield f'{of},outcome="exceeded"', sums.exceeded


def _buckets(counts: Mapping[int, int]) -> Buckets:
    """Returns the bounds in seconds, each with the number of times up to it."""
    entries = sorted(counts.items())
    below, place, found = 0, 0, list[tuple[str, int]]()
    for bound, text in _BOUNDS:
        while place < len(entries) and entries[place][0] <= bound:
            below += entries[place][1]
            place += 1
        found.append((text, below))
    found.append(("+Inf", sum(count for _, count in entries)))
    return found
