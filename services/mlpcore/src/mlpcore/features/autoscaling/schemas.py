"""Autoscaling on the wire. The configuration itself is `autoScalingConfiguration` of a model."""

from mlpcore.features.scaling_rules.history import ScalingKind
from mlpcore.features.scaling_rules.tables import ScalingDecision
from mlplace_kit.clock import to_milliseconds
from mlplace_kit.wire import Output


class ScalingDecisionData(Output):
    """A change of the number of instances, or what stood against one, with the numbers that it was made from.

    `before`, `after`: requested instances. `values`: averages per connected instance over the window, by measure
    (`activeRequests`, `requestsPerMinute`, `cpuMilliCores`, `latencyMs`, `queueTimeMs`); what was not known is absent.
    `wanted`: the number that the load needs, if it is another. `detail`: what stands against it.
    """

    id: int
    decided_at: int
    kind: ScalingKind
    reason: str
    before: int
    after: int
    connected: int
    min_instances: int
    max_instances: int
    scheduled: bool
    values: dict[str, float]
    waiting: float | None
    unused_seconds: float | None
    wanted: int | None
    detail: str | None
    cause_account_id: int | None


class ScalingStateData(Output):
    """What autoscaling sees now. `reason`: why the number is as it is, in one word; `known`: gates report.

    `cooldownUntil`: milliseconds; null if no cooldown runs. `trouble`: what stands against the needed number: `place`,
    `limit` or `maximum`.
    """

    automatic: bool
    enabled: bool
    requested: int
    connected: int
    starting: int
    min_instances: int
    max_instances: int
    scheduled: bool
    window_seconds: int
    known: bool
    values: dict[str, float]
    waiting: float
    unused_seconds: float | None
    cooldown_until: int | None
    wanted: int
    reason: str
    trouble: str | None


class DryRunSumsData(Output):
    """`cost`: in the installation's currency, of the instances' share of their servers. Null: unknown.

    `p95WaitMs`: 95 of 100 calls did not wait longer for an instance.
    """

    instance_hours: float | None
    cost: float | None
    p95_wait_ms: float | None
    most_instances: int | None


class DryRunDecisionData(Output):
    decided_at: int
    kind: ScalingKind
    reason: str
    before: int
    after: int


class DryRunData(Output):
    """What a configuration would have done with the recorded load, beside what was. `decisions`: at most 500 of them.

    The lists have one entry for each step from `since` (milliseconds): averages; null where gates or mlpcore recorded
    nothing. `knownMinutes`: minutes that gates reported. `startSeconds`, `callsAtOnce`: what was assumed of an
    instance; null: it works on any number of calls.
    """

    since: int
    step_seconds: int
    known_minutes: int
    requests_per_minute: list[float | None]
    instances: list[float]
    actual_instances: list[float | None]
    waiting: list[float]
    simulated: DryRunSumsData
    actual: DryRunSumsData
    decision_count: int
    decisions: list[DryRunDecisionData]
    start_seconds: float
    calls_at_once: int | None
    price_of_instance_hour: float | None


def decision_data(row: ScalingDecision) -> ScalingDecisionData:
    numbers = row.numbers
    return ScalingDecisionData(
        id=row.decision_id,
        decided_at=to_milliseconds(row.decided_at),
        kind=ScalingKind(row.kind),
        reason=row.reason,
        before=row.before,
        after=row.after,
        connected=row.connected,
        min_instances=row.least,
        max_instances=row.most,
        scheduled=row.scheduled,
        values=numbers.get("values", {}),
        waiting=numbers.get("waiting"),
        unused_seconds=numbers.get("unusedSeconds"),
        wanted=numbers.get("wanted"),
        detail=numbers.get("detail"),
        cause_account_id=numbers.get("causeAccountId"),
    )
