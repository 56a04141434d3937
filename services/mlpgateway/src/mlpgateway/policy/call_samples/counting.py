"""Counts the calls of this gate. A call costs two look-ups in dictionaries and an object; nothing waits."""

import time
from collections.abc import Callable
from typing import Final, Protocol

from mlpgateway.policy.call_samples.counts import CallerCounts, InstanceCounts
from mlpgateway.policy.failed_calls import is_fault_of_service
from mlplace_contracts.events import CallerSample, InstanceSample
from mlplace_kit.errors import DomainError

_WAITING: Final = frozenset({"queue", "start"})
_MILLI: Final = 1000.0
_MOST_REMEMBERED: Final = 50_000


class WatchedCall(Protocol):
    """A call in progress, as the pipeline knows it."""

    @property
    def model_id(self) -> int: ...

    @property
    def caller_id(self) -> int: ...

    @property
    def instance(self) -> int:
        """The instance that the request was last sent to; 0 before that."""
        ...

    @property
    def waits_for(self) -> str:
        """What the call waits for now: `queue`, `start` or `answer`."""
        ...

    @property
    def waited_seconds(self) -> float: ...

    @property
    def counts(self) -> bool:
        """False for files of pages: they are no calls, but the instance works on them."""
        ...

    @property
    def ended_well(self) -> bool: ...

    @property
    def error(self) -> DomainError | None: ...

    @property
    def service_seconds(self) -> float | None:
        """The time that the service took, when that says something about the service."""
        ...


class Tracked:
    """One call in progress. `active` and `waiting`: seconds that earlier intervals have counted."""

    __slots__ = ("active", "began", "call", "waiting")

    def __init__(self, call: WatchedCall, began: float) -> None:
        self.call = call
        self.began = began
        self.active = self.waiting = 0.0


class CallCounting:
    """`now` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._open: dict[Tracked, None] = {}
        self._instances: dict[tuple[int, int], InstanceCounts] = {}
        self._callers: dict[int, CallerCounts] = {}
        self._connected: dict[int, None] = {}
        self._since = now()

    def began(self, call: WatchedCall) -> Tracked:
        tracked = Tracked(call, self._now())
        self._open[tracked] = None
        if call.counts:
            self._caller(call.caller_id).calls += 1
        return tracked

    def ended(self, tracked: Tracked) -> None:
        """Counts how the call ended, and its time since the last interval ended."""
        del self._open[tracked]
        call = tracked.call
        counts = self._of(call.model_id, call.instance)
        spent, waited = self._now() - tracked.began, call.waited_seconds
        if call.waits_for in _WAITING:  # it ended while it waited, and its wait was not added up
            waited = max(waited, spent)
        counts.waiting_ms += _MILLI * max(0.0, waited - tracked.waiting)
        counts.active_ms += _MILLI * max(0.0, spent - waited - tracked.active)
        if not call.counts:
            return
        if waited > 0:
            counts.waits.add(_MILLI * waited)
        error = call.error
        if error is None and call.ended_well:
            counts.answered += 1
            if (seconds := call.service_seconds) is not None:
                counts.times.add(_MILLI * seconds)
        elif error is not None and is_fault_of_service(error):
            counts.failed += 1
        else:
            counts.refused += 1

    def exceeded(self, account_id: int) -> None:
        """Counts a call that the account's limit of calls per second refused."""
        counts = self._caller(account_id)
        counts.calls += 1
        counts.exceeded += 1

    def connected(self, model_id: int, instance_id: int) -> None:
        """Counts a stream of an instance that has had one before."""
        if instance_id in self._connected:
            self._of(model_id, instance_id).reconnects += 1
            return
        if len(self._connected) >= _MOST_REMEMBERED:
            self._connected.pop(next(iter(self._connected)))
        self._connected[instance_id] = None

    def close_interval(self) -> tuple[list[InstanceSample], list[CallerSample]]:
        """Ends the interval and begins the next one. Calls in progress count with the time that they spent in it."""
        now = self._now()
        for tracked in self._open:
            call = tracked.call
            spent = now - max(tracked.began, self._since)
            waited = spent if call.waits_for in _WAITING else call.waited_seconds - tracked.waiting
            waited = max(0.0, min(waited, spent))
            tracked.waiting += waited
            tracked.active += spent - waited
            counts = self._of(call.model_id, call.instance)
            counts.waiting_ms += _MILLI * waited
            counts.active_ms += _MILLI * (spent - waited)
        self._since = now
        instances, self._instances = self._instances, {}
        callers, self._callers = self._callers, {}
        return (
            [counts.sample(model_id, instance_id) for (model_id, instance_id), counts in sorted(instances.items())],
            [counts.sample(account_id) for account_id, counts in sorted(callers.items())],
        )

    def _of(self, model_id: int, instance_id: int) -> InstanceCounts:
        key = (model_id, instance_id)
        counts = self._instances.get(key)
        if counts is None:
            counts = self._instances[key] = InstanceCounts()
        return counts

    def _caller(self, account_id: int) -> CallerCounts:
        counts = self._callers.get(account_id)
        if counts is None:
            counts = self._callers[account_id] = CallerCounts()
        return counts
