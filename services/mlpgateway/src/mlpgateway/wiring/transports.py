"""Wires the transports and their request queues: over streams, over HTTP, and for other gates."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from mlpgateway.call.plan import Plans
from mlpgateway.call.transport import InstanceLink, InstanceRequest
from mlpgateway.call.wake_up import Waker
from mlpgateway.delivery.batching import Batching
from mlpgateway.delivery.choose import Chooser
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.request_queues import RequestQueues
from mlpgateway.delivery.remote_slots import Slots, SlotsForPeers
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.instances.http.by_transport import AllInstances, ByTransport
from mlpgateway.instances.http.instances import HttpInstances
from mlpgateway.instances.http.shared_queue import SharedQueue
from mlpgateway.instances.peers.peer_gates import PeerGates
from mlpgateway.outbox.writer import OutboxWriter
from mlpgateway.readmodels.models import Models
from mlpgateway.settings import MlpgatewaySettings
from mlplace_kit.clock import Clock


@dataclass(frozen=True, slots=True)
class Instances:
    """The instances of each transport."""

    links: ConnectedInstances
    over_http: HttpInstances
    peers: PeerGates


@dataclass(frozen=True, slots=True)
class WaitingQueues:
    """`local` chooses an instance of this gate for a call of another gate, `slots` grants it a slot."""

    plans: Plans
    breakers: Breakers
    streams: RequestQueues
    http: RequestQueues
    chooser: Chooser
    local: Callable[[int, InstanceRequest], Awaitable[InstanceLink]]
    slots: Slots


def make_queues(
    settings: MlpgatewaySettings, instances: Instances, models: Models, writer: OutboxWriter, clock: Clock
) -> WaitingQueues:
    links, over_http, peers = instances.links, instances.over_http, instances.peers
    waker = Waker(writer, clock, time.monotonic)
    plans, breakers, bounds = Plans(), Breakers(AllInstances(links, over_http)), _bounds(settings)
    streams = RequestQueues(links, elsewhere=peers, waker=waker, breakers=breakers, bounds=bounds)
    # The gate that receives a call over HTTP sends it itself: every gate reaches every instance.
    http = RequestQueues(over_http, elsewhere=None, waker=waker, breakers=breakers, bounds=bounds)
    peers.watch(streams.changed)
    for reached, queues in ((links, streams), (over_http, http)):
        reached.watch(queues.changed)
        reached.watch_lost(breakers.forget)
    one_queue = SharedQueue(queues=http, links=over_http, gates=peers, breakers=breakers)
    return WaitingQueues(
        plans=plans,
        breakers=breakers,
        streams=streams,
        http=http,
        chooser=ByTransport(streams=Batching(streams, links), http=one_queue),
        local=partial(_local, models, plans, streams),
        slots=SlotsForPeers(queues=http, links=over_http, models=models, plans=plans).slot,
    )


async def _local(
    models: Models, plans: Plans, queues: RequestQueues, model_id: int, request: InstanceRequest
) -> InstanceLink:
    model = models.by_id(model_id)
    return await queues.serve_peer(plans.of(model) if model else None, model_id, request)


def _bounds(settings: MlpgatewaySettings) -> Bounds:
    return Bounds(
        calls_per_model=settings.waiting_calls_per_model,
        bytes_per_model=settings.waiting_bytes_per_model,
        calls=settings.waiting_calls,
        size=settings.waiting_bytes,
        woken_concurrency=settings.woken_concurrency,
        ageing_seconds=settings.ageing_seconds,
        fractions=settings.share_fractions,
    )
