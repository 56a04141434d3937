"""Wires the parts of a gateway to each other. Starts nothing."""

import time
from dataclasses import dataclass
from functools import partial

from mlpgateway.gate.admission import Admission, Capacity
from mlpgateway.gate.links import ConnectedInstances
from mlpgateway.gate.members import PostgresGates
from mlpgateway.limits.gatekeeper import Gatekeeper
from mlpgateway.limits.history import RemoteHistory
from mlpgateway.limits.pockets import Pockets
from mlpgateway.money.billing import RemoteBilling
from mlpgateway.money.cost import Estimates
from mlpgateway.money.leases import Leases, Terms
from mlpgateway.proxy.admit import Admit
from mlpgateway.proxy.authenticate import Authenticate
from mlpgateway.proxy.authorise import Authorise
from mlpgateway.proxy.batching import Batching
from mlpgateway.proxy.breaker import Breakers
from mlpgateway.proxy.keyring import Keyring
from mlpgateway.proxy.passage import Books
from mlpgateway.proxy.pipeline import Pipeline, Stages
from mlpgateway.proxy.plan import Plans
from mlpgateway.proxy.repeats import Budgets
from mlpgateway.proxy.transport import InstanceLink, InstanceRequest
from mlpgateway.proxy.waiting import Bounds, Lines
from mlpgateway.proxy.waking import Waker
from mlpgateway.readmodels.all import ReadModels
from mlpgateway.readmodels.models import Models
from mlpgateway.recording.connections import ConnectionRecorder
from mlpgateway.recording.writer import OutboxWriter
from mlpgateway.settings import MlpgatewaySettings
from mlpgateway.siblings.rpc import SiblingRpc
from mlpgateway.siblings.siblings import Siblings
from mlpgateway.ways import Surroundings, Ways, make_ways
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.auth.remote import remote_keys, remote_sessions
from mlplace_runtime.auth.sources import CachedSessions, KeySource
from mlplace_runtime.bus.consumer import Projection, still_reading
from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Shared


@dataclass(frozen=True, slots=True)
class Parts:
    database: Database
    links: ConnectedInstances
    admission: Admission
    read_models: ReadModels
    read_models_projection: Projection
    identities_projection: Projection
    sessions: CachedSessions
    keyring: Keyring
    leases: Leases
    pockets: Pockets
    writer: OutboxWriter
    connections: ConnectionRecorder
    gates: PostgresGates
    siblings: Siblings
    sibling_rpc: SiblingRpc
    pipeline: Pipeline
    lines: Lines
    breakers: Breakers
    ways: Ways

    def not_ready(self) -> dict[str, str]:
        """Empty when calls can be served."""
        return still_reading({"read-models": self.read_models_projection})

    def late(self) -> dict[str, str]:
        """Calls can be served without it: what it drops from the caches goes by itself after seconds."""
        return still_reading({"identities": self.identities_projection})


def make_parts(settings: MlpgatewaySettings, shared: Shared, database: Database, links: ConnectedInstances) -> Parts:
    read_models = ReadModels.empty(revoked=links.revoke)
    projection = read_models.projection(shared.bus)
    sessions, unknown_keys = remote_sessions(shared), remote_keys(shared)
    invalidator = Invalidator(sessions=sessions, keys=unknown_keys)
    keyring, leases = _keyring(shared, read_models, unknown_keys), _leases(settings, shared, read_models)
    writer = OutboxWriter(database, shared.clock)
    gates = PostgresGates(database, shared.clock)
    siblings = Siblings(gates, shared.internal_token)
    pockets = _pockets(shared, gates)
    gatekeeper = Gatekeeper(pockets, RemoteHistory(shared.internal), shared.clock)
    estimates = Estimates(first_cost_nano=settings.first_cost_nano)
    plans, breakers = Plans(), Breakers(links)
    waker = Waker(writer, shared.clock, time.monotonic)
    lines = Lines(links, elsewhere=siblings, waker=waker, breakers=breakers, bounds=_bounds(settings))
    _have_told(lines, breakers, links, siblings)
    stages = Stages(
        authenticate=Authenticate(keyring=keyring, sessions=sessions, accounts=read_models.accounts),
        authorise=Authorise(read_models, test_form_required=settings.test_form_feature_required),
        admit=Admit(read_models, gatekeeper, leases, estimates, settings.default_predict_per_sec),
        chooser=Batching(lines, links),
        configs=read_models.configs,
        plans=plans,
        breakers=breakers,
        budgets=Budgets(),
        books=Books(writer, estimates, shared.clock),
        direct_unit_nano=settings.direct_unit_nano,
        ready=projection.ready.is_set,
        deputy=siblings,
    )
    pipeline, admission = Pipeline(stages), Admission(Capacity(settings.most_calls, settings.unhurried_calls))
    return Parts(
        database=database,
        links=links,
        admission=admission,
        read_models=read_models,
        read_models_projection=projection,
        identities_projection=invalidator.projection(shared.bus, name="mlpgateway.identities"),
        sessions=sessions,
        keyring=keyring,
        leases=leases,
        pockets=pockets,
        writer=writer,
        connections=ConnectionRecorder(writer, shared.clock),
        gates=gates,
        siblings=siblings,
        sibling_rpc=SiblingRpc(
            tokens=(shared.internal_token, *shared.also_internal_tokens),
            links=links,
            local=partial(_local, read_models.models, plans, lines),
            admission=admission,
            handler=pipeline,
            ready=stages.ready,
        ),
        pipeline=pipeline,
        lines=lines,
        breakers=breakers,
        ways=make_ways(Surroundings(settings, shared, database, links, read_models, stages, pipeline, admission)),
    )


def _keyring(shared: Shared, read_models: ReadModels, unknown: KeySource) -> Keyring:
    return Keyring(
        keys=read_models.keys,
        accounts=read_models.accounts,
        limits=read_models.limits,
        unknown=unknown,
        hasher=shared.hasher,
        clock=shared.clock,
    )


def _leases(settings: MlpgatewaySettings, shared: Shared, read_models: ReadModels) -> Leases:
    gate_name = settings.grpc_advertised_address or f"{settings.grpc_host}:{settings.grpc_port}"
    terms = Terms(gate=gate_name, max_leased_nano=settings.max_leased_nano)
    leases = Leases(RemoteBilling(shared.internal), shared.clock, terms)
    read_models.balances.watch(leases.balance_changed)
    return leases


def _have_told(lines: Lines, breakers: Breakers, links: ConnectedInstances, siblings: Siblings) -> None:
    """Instances that come and go, here and at other gates."""
    links.watch(lines.changed)
    links.watch_lost(breakers.forget)
    siblings.watch(lines.changed)


async def _local(models: Models, plans: Plans, lines: Lines, model_id: int, request: InstanceRequest) -> InstanceLink:
    model = models.by_id(model_id)
    return await lines.serve_sibling(plans.of(model) if model else None, model_id, request)


def _bounds(settings: MlpgatewaySettings) -> Bounds:
    return Bounds(
        calls_per_model=settings.waiting_calls_per_model,
        bytes_per_model=settings.waiting_bytes_per_model,
        calls=settings.waiting_calls,
        size=settings.waiting_bytes,
        woken_concurrency=settings.woken_concurrency,
        ageing_seconds=settings.ageing_seconds,
    )


def _pockets(shared: Shared, gates: PostgresGates) -> Pockets:
    pockets = Pockets(shared.quotas)
    gates.watch(lambda members: pockets.see_gates(len(members.active)))
    return pockets
