"""Calls that another gate did not take wait here, and are offered to that gate again after a moment."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from mlpgateway.call.call import Operation
from mlpgateway.call.context import CallContext
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.plan import Plan, plan_of
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.request_queues import RequestQueues
from mlplace_contracts.events import ModelPriorityQueue, ModelTimeouts

LONG = ModelTimeouts(pod_start=600, predict=600, fit=600)


@dataclass(eq=False)
class _PeerLink:
    instance_id: None = None
    active_requests: int = 0
    accepts_requests: bool = True


@dataclass
class _Peer:
    """Another gate that says it has an instance."""

    link: _PeerLink = field(default_factory=_PeerLink)

    def reaches(self, _model_id: int) -> bool:
        return True

    def route_now(self, _model_id: int, *, but: Collection[object]) -> _PeerLink | None:
        return None if self.link in but else self.link

    async def route(self, model_id: int, *, but: Collection[object]) -> _PeerLink | None:
        return self.route_now(model_id, but=but)

    def owner(self, _model_id: int, *, here: bool) -> None:
        return None


@dataclass
class _Waker:
    starts: list[float] = field(default_factory=list)
    forgotten: int = 0

    def want(self, *_: object) -> None:
        pass

    def runs(self, _model_id: int) -> None:
        self.forgotten += 1

    def started(self, _model_id: int, seconds: float) -> None:
        self.starts.append(seconds)

    def estimate(self, _model_id: int) -> None:
        return None


@pytest.fixture
def plan(kit) -> Plan:
    queue = ModelPriorityQueue(enabled=True, concurrency=1)
    return plan_of(
        kit.model_changed(reject_if_inactive=False, hosting_type="HOSTING_SERVER", timeouts=LONG, priority_queue=queue)
    )


def _context(plan: Plan) -> CallContext:
    context = CallContext(plan, InstanceRequest(Operation.PREDICT, None, None, None, {}, {}), Deadline(60), 3)
    context.may_wait_for_start = True
    return context


class TestAfterTheRefusal:
    async def test_the_call_goes_to_the_gate_that_refused_it(self, plan) -> None:
        peer, waker = _Peer(), _Waker()
        queues = _queues(peer, waker)
        async with asyncio.timeout(60):
            slot = await queues.choose(_context(plan), but=[cast("Any", peer.link)])
        assert cast("Any", slot).origin is peer.link

    async def test_it_is_neither_a_start_nor_a_reason_for_another_wake_up(self, plan) -> None:
        peer, waker = _Peer(), _Waker()
        async with asyncio.timeout(60):
            await _queues(peer, waker).choose(_context(plan), but=[cast("Any", peer.link)])
        assert (waker.starts, waker.forgotten) == ([], 0)


def _queues(peer: _Peer, waker: _Waker) -> RequestQueues:
    links = SimpleNamespace(of_model=lambda _: [])
    parts: dict[str, Any] = {"elsewhere": peer, "waker": waker, "breakers": Breakers(cast("Any", links))}
    return RequestQueues(cast("Any", links), bounds=Bounds(), **parts)
