"""Wires the components of a gateway. Starts nothing."""

import time
from dataclasses import dataclass, field

from mlpgateway.context.metered_call import Recorders
from mlpgateway.egress.rules import EgressRules
from mlpgateway.entry.large_bodies.reader import LargeBodyReader
from mlpgateway.features.archive.writer import ArchiveWriter
from mlpgateway.features.caching.stage import Caching
from mlpgateway.features.caching.stores import CacheStores
from mlpgateway.features.storage.limits import StorageLimits
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.instances.http.instances import HttpInstances
from mlpgateway.instances.peers.peer_gates import PeerGates
from mlpgateway.instances.peers.rpc import PeerRpc
from mlpgateway.membership.members import MembershipPace, PostgresGates
from mlpgateway.outbox.connections import ConnectionRecorder
from mlpgateway.outbox.dead_letters import parked_by
from mlpgateway.outbox.writer import OutboxWriter
from mlpgateway.pipeline.pipeline import Pipeline
from mlpgateway.pipeline.stages import Stages
from mlpgateway.pipeline.stored_configs import StoredConfigs, fetch_from
from mlpgateway.policy.access.authenticate import Authenticate, Passes
from mlpgateway.policy.access.authorise import Authorise
from mlpgateway.policy.access.entrance import Entrance
from mlpgateway.policy.access.keyring import Keyring
from mlpgateway.policy.admit import Admit
from mlpgateway.policy.call_samples.counting import CallCounting
from mlpgateway.policy.call_samples.reporter import SampleReporter
from mlpgateway.policy.call_samples.totals import CallTotals
from mlpgateway.policy.failed_calls import FailedCalls
from mlpgateway.policy.limits.alarm import SpendingAlarm
from mlpgateway.policy.limits.bucket_leases import BucketLeases
from mlpgateway.policy.limits.gatekeeper import Gatekeeper
from mlpgateway.policy.limits.history import RemoteHistory
from mlpgateway.policy.money.billing import RemoteBilling
from mlpgateway.policy.money.capped_charges import CappedCharges
from mlpgateway.policy.money.estimates import Estimates
from mlpgateway.policy.money.leases import Leases, Terms
from mlpgateway.readmodels.all import ReadModels
from mlpgateway.readmodels.models import Models
from mlpgateway.settings import MlpgatewaySettings
from mlpgateway.shares.admission import Admission, Capacity
from mlpgateway.shares.shares import Shares
from mlpgateway.usage.spool import SpoolOptions, UsageSpool
from mlpgateway.wiring.entry_points import EntryParts, EntryPoints, make_entry_points
from mlpgateway.wiring.http_instances import make_http_instances
from mlpgateway.wiring.limits import make_bucket_leases
from mlpgateway.wiring.storage import StorageComponents, make_storage
from mlpgateway.wiring.transports import Instances, WaitingQueues, make_queues
from mlpgateway.wiring.visitors import Visitors, make_visitors
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.auth.sources import CachedSessions, KeySource
from mlplace_runtime.bus.consumer import Projection, still_reading
from mlplace_runtime.db.database import Database
from mlplace_runtime.remote_identities import remote_keys, remote_sessions
from mlplace_runtime.secrets import Vault
from mlplace_runtime.service import Shared


@dataclass(frozen=True, slots=True)
class Components:
    database: Database
    links: ConnectedInstances
    http_instances: HttpInstances
    admission: Admission
    entrance: Entrance
    read_models: ReadModels
    read_models_projection: Projection
    identities_projection: Projection
    sessions: CachedSessions
    keyring: Keyring
    leases: Leases
    bucket_leases: BucketLeases
    writer: OutboxWriter
    spool: UsageSpool
    caches: CacheStores
    archive: ArchiveWriter
    storage: StorageComponents
    connections: ConnectionRecorder
    failed: FailedCalls
    samples: SampleReporter
    gates: PostgresGates
    peers: PeerGates
    peer_rpc: PeerRpc
    pipeline: Pipeline
    visitors: Visitors
    queues: WaitingQueues
    entry_points: EntryPoints
    large_bodies: LargeBodyReader = field(default_factory=LargeBodyReader)

    def not_ready(self) -> dict[str, str]:
        """Returns what prevents serving calls, by name; empty when nothing does."""
        return still_reading({"read-models": self.read_models_projection}) | self.spool.not_ready()

    def late(self) -> dict[str, str]:
        """Returns what calls do not need: without these events, cached identities expire after seconds."""
        return still_reading({"identities": self.identities_projection})

    def behind(self) -> dict[str, str]:
        """Returns what is behind schedule; calls are served normally."""
        return self.spool.late() | self.spool.space.trouble()


def compose(settings: MlpgatewaySettings, shared: Shared, database: Database, links: ConnectedInstances) -> Components:
    read_models, projection = _read_models(shared, links)
    sessions, unknown_keys, identities = _identities(shared)
    keyring, leases = _keyring(shared, read_models, unknown_keys), _leases(settings, shared, read_models)
    writer, spool = OutboxWriter(database, shared.clock), _spool(settings, shared, database)
    gates, estimates = _gates(shared, database), Estimates(first_cost_nano=settings.first_cost_nano)
    peers, bucket_leases = PeerGates(gates, shared.internal_token), make_bucket_leases(shared.quotas, gates)
    storage, totals = make_storage(settings, shared, database, read_models.limits), _totals(shared, read_models)
    samples = SampleReporter(CallCounting(), writer, shared.clock, seconds=settings.sample_seconds, totals=totals)
    caches, connections = _caches(settings, shared, read_models.models), _connections(writer, shared, samples)
    archive = _archive(settings, shared, database, read_models.models, projection, storage.limits)
    over_http, failed = make_http_instances(settings, read_models, connections), FailedCalls(writer, shared.clock)
    queues = make_queues(settings, Instances(links, over_http, peers), read_models.models, writer, shared.clock)
    stages = Stages(
        authenticate=_authenticate(shared, keyring, sessions, read_models),
        authorise=Authorise(read_models, test_form_required=settings.test_form_feature_required),
        admit=_admit(settings, shared, read_models, bucket_leases, leases, estimates, writer),
        chooser=queues.chooser,
        configs=StoredConfigs(read_models.configs, fetch_from(shared.internal)),
        plans=queues.plans,
        breakers=queues.breakers,
        recorders=Recorders(spool, estimates, shared.clock, _capped(writer, shared), failed, samples.counting),
        caching=Caching(caches),
        archive=archive,
        shares=_shares(settings),
        direct_unit_nano=settings.direct_unit_nano,
        ready=projection.ready.is_set,
        deputy=peers,
    )
    pipeline, admission, entrance = Pipeline(stages), Admission(_capacity(settings)), _entrance(stages)
    around = EntryParts(settings, shared, database, links, read_models, stages, pipeline, admission, storage.limits)
    return Components(
        database=database,
        links=links,
        http_instances=over_http,
        admission=admission,
        entrance=entrance,
        read_models=read_models,
        read_models_projection=projection,
        identities_projection=identities,
        sessions=sessions,
        keyring=keyring,
        leases=leases,
        bucket_leases=bucket_leases,
        writer=writer,
        spool=spool,
        caches=caches,
        archive=archive,
        storage=storage,
        connections=connections,
        failed=failed,
        samples=samples,
        gates=gates,
        peers=peers,
        peer_rpc=_peer_rpc(shared, links, queues, admission, entrance, pipeline, stages),
        pipeline=pipeline,
        visitors=make_visitors(settings, stages, read_models, keyring, sessions, links),
        queues=queues,
        entry_points=make_entry_points(around),
    )


def _read_models(shared: Shared, links: ConnectedInstances) -> tuple[ReadModels, Projection]:
    read_models = ReadModels.empty(revoked=links.revoke)
    return read_models, read_models.projection(shared.bus)


def _identities(shared: Shared) -> tuple[CachedSessions, KeySource, Projection]:
    """Returns the caches of sessions and keys, and the projection that invalidates them."""
    sessions, keys = remote_sessions(shared), remote_keys(shared)
    invalidator = Invalidator(sessions=sessions, keys=keys)
    return sessions, keys, invalidator.projection(shared.bus, name="mlpgateway.identities")


def _keyring(shared: Shared, read_models: ReadModels, unknown: KeySource) -> Keyring:
    return Keyring(
        keys=read_models.keys,
        accounts=read_models.accounts,
        limits=read_models.limits,
        unknown=unknown,
        hasher=shared.hasher,
        clock=shared.clock,
    )


def _entrance(stages: Stages) -> Entrance:
    return Entrance(stages.authenticate, stages.ready)


def _totals(shared: Shared, read_models: ReadModels) -> CallTotals | None:
    """None without a token for metrics: nobody may read them."""
    return CallTotals(read_models.instances) if shared.metrics_token else None


def _connections(writer: OutboxWriter, shared: Shared, samples: SampleReporter) -> ConnectionRecorder:
    return ConnectionRecorder(writer, shared.clock, seen=samples.counting.connected)


def _spool(settings: MlpgatewaySettings, shared: Shared, database: Database) -> UsageSpool:
    shared.space.add(settings.usage_spool_dir)
    options = SpoolOptions(settings.usage_spool_dir, settings.usage_spool_bytes, settings.usage_sync, shared.space)
    return UsageSpool(shared.bus, parked_by(database), shared.clock, options)


def _caches(settings: MlpgatewaySettings, shared: Shared, models: Models) -> CacheStores:
    vault = Vault(shared.envelope_key, *shared.older_envelope_keys)
    return CacheStores(models=models, vault=vault, rules=EgressRules(settings.egress_networks), clock=shared.clock)


def _archive(
    settings: MlpgatewaySettings,
    shared: Shared,
    database: Database,
    models: Models,
    projection: Projection,
    storage: StorageLimits,
) -> ArchiveWriter:
    return ArchiveWriter(
        database=database,
        objects=shared.objects,
        models=models,
        knows_models=projection.ready,
        storage=storage,
        space=shared.space,
        most_waiting=settings.archive_waiting_bytes,
        most_kept=settings.archived_bytes,
    )


def _admit(
    settings: MlpgatewaySettings,
    shared: Shared,
    read_models: ReadModels,
    bucket_leases: BucketLeases,
    leases: Leases,
    estimates: Estimates,
    writer: OutboxWriter,
) -> Admit:
    alarm = SpendingAlarm(writer, shared.clock, time.monotonic)
    gatekeeper = Gatekeeper(bucket_leases, RemoteHistory(shared.internal), alarm, shared.clock)
    return Admit(
        read_models,
        gatekeeper,
        leases,
        estimates,
        settings.default_predict_per_sec,
        settings.default_max_price_nano,
    )


def _authenticate(shared: Shared, keyring: Keyring, sessions: CachedSessions, read_models: ReadModels) -> Authenticate:
    passes = Passes(shared.hasher, shared.clock)
    return Authenticate(keyring=keyring, sessions=sessions, accounts=read_models.accounts, passes=passes)


def _leases(settings: MlpgatewaySettings, shared: Shared, read_models: ReadModels) -> Leases:
    gate_name = settings.grpc_advertised_address or f"{settings.grpc_host}:{settings.grpc_port}"
    terms = Terms(gate=gate_name, max_leased_nano=settings.max_leased_nano)
    leases = Leases(RemoteBilling(shared.internal), shared.clock, terms)
    read_models.balances.watch(leases.balance_changed)
    return leases


def _gates(shared: Shared, database: Database) -> PostgresGates:
    pace = MembershipPace(poll=MembershipPace().beat) if shared.bus.alone else None
    return PostgresGates(database, shared.clock, pace)


def _capped(writer: OutboxWriter, shared: Shared) -> CappedCharges:
    return CappedCharges(writer, shared.clock, time.monotonic)


def _peer_rpc(
    shared: Shared,
    links: ConnectedInstances,
    queues: WaitingQueues,
    admission: Admission,
    entrance: Entrance,
    pipeline: Pipeline,
    stages: Stages,
) -> PeerRpc:
    return PeerRpc(
        tokens=(shared.internal_token, *shared.also_internal_tokens),
        links=links,
        local=queues.local,
        admission=admission,
        holders=entrance,
        handler=pipeline,
        ready=stages.ready,
        slots=queues.slots,
    )


def _capacity(settings: MlpgatewaySettings) -> Capacity:
    return Capacity(
        settings.most_calls, settings.unhurried_calls, settings.most_request_bytes, settings.share_fractions
    )


def _shares(settings: MlpgatewaySettings) -> Shares:
    return Shares.of(
        calls=settings.most_calls,
        streams=settings.most_streams,
        sockets=settings.most_sockets,
        fractions=settings.share_fractions,
        owner=settings.owner_share,
    )
