"""What operators do, and machines that fail, under load: no call fails that need not, and every call is charged once."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.kubernetes.cluster import OURS, SERVICES, Cluster
from tests.kubernetes.previous_release import IMAGE
from tests.kubernetes.streams import Streams, counting_model
from tests.resilience.billing_records import BillingRecords
from tests.resilience.load import Load, Outcome

_SECONDS = 180
_WELL_SECONDS = 420
_WELL_IN_A_ROW = 60
_CHANGES = (
    "settings.MLP_DEFAULT_MAX_PRICE=50",
    "edge.connectionsPerAddress=900",
    "mlpgateway.outside.loadBalancer.drainSeconds=300",
)
"""Values that replace every pod of ours."""

_KILLED = (*(component for component in OURS if component != "edge"), "demo", "edge")
"""The edge is the last one: only its end may break the connections of callers."""


def _well(cluster: Cluster) -> None:
    eventually(cluster.unwell, until=lambda names: not names, seconds=_WELL_SECONDS, every=1)


def _previous_release() -> Iterator[str]:
    """Values with which the four services run its code; none where it cannot be known, which `.ci/run` says."""
    if os.environ.get("MLP_TEST_WITHOUT_HISTORY") == "1":
        return
    for service in SERVICES:
        yield f"{service}.image.repository={IMAGE}"
        yield f"{service}.extraEnv[0].name=MODULE"
        yield f"{service}.extraEnv[0].value={service}"


def _failed(outcomes: list[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if not outcome.answered]


@pytest.mark.timeout(1800)
class TestUpgrade:
    def test_neither_a_change_to_the_previous_release_nor_one_to_this_fails_a_call_or_cuts_a_stream(
        self,
        platform: Platform,
        caller: httpx.Client,
        cluster: Cluster,
        billing_records: BillingRecords,
        tmp_path: Path,
    ) -> None:
        """The previous release runs on the tables of this one, as after `helm rollback`; then this one replaces it again."""
        before = billing_records.standing()
        old = {pod.uid for pod in cluster.pods() if pod.component in OURS}
        with (
            counting_model(platform, caller, tmp_path) as path,
            Load(platform.url, platform.api_key) as load,
            Streams(platform, path) as streams,
        ):
            load.wait_for_answers(20, seconds=_SECONDS)
            began = time.monotonic()
            cluster.upgrade(*_CHANGES, *_previous_release())
            upgraded = time.monotonic()
            assert old & {pod.uid for pod in cluster.pods()} == set()
            load.wait_for_answers(_WELL_IN_A_ROW, seconds=_SECONDS)
            cluster.rollback()
            rolled_back = time.monotonic()
            load.wait_for_answers(_WELL_IN_A_ROW, seconds=_SECONDS)
        print(  # noqa: T201  run.sh shows these figures
            f"upgrade {upgraded - began:.0f} s, rollback {rolled_back - upgraded:.0f} s: {len(load.outcomes)} calls,"
            f" {len(_failed(load.outcomes))} failed; {len(streams.fates)} streams,"
            f" {sum(not fate.whole for fate in streams.fates)} cut"
        )
        assert {fate.over for fate in streams.fates} == {"HTTP", "gRPC"}
        assert ([fate for fate in streams.fates if not fate.whole], _failed(load.outcomes)) == ([], [])
        billing_records.check(before, load.prefix, load.outcomes)


@pytest.mark.timeout(1800)
class TestKill:
    def test_calls_survive_a_killed_pod_of_each_kind(
        self, platform: Platform, cluster: Cluster, billing_records: BillingRecords
    ) -> None:
        """One kind after the other, as soon as calls are answered again: pods of the kinds before may still start."""
        before = billing_records.standing()
        killed: dict[str, float] = {}
        with Load(platform.url, platform.api_key) as load:
            load.wait_for_answers(20, seconds=_SECONDS)
            for component in _KILLED:
                killed[component] = time.monotonic()
                cluster.kill(cluster.pods(component)[0])
                load.wait_for_answers(_WELL_IN_A_ROW, seconds=_SECONDS)
            _well(cluster)
            well = time.monotonic()
        failed = _failed(load.outcomes)
        print(  # noqa: T201  run.sh shows these figures
            f"{len(load.outcomes)} calls, {len(failed)} failed; well {well - killed['edge']:.0f} s after the last kill,"
            f" {well - killed[_KILLED[0]]:.0f} s after the first"
        )
        assert [o for o in failed if not o.retryable and not (o.status is None and o.ended >= killed["edge"])] == []
        billing_records.check(before, load.prefix, load.outcomes)


@pytest.mark.timeout(1800)
class TestDrain:
    def test_a_drained_node_takes_one_pod_of_each_kind_and_fails_no_call(
        self, platform: Platform, cluster: Cluster, billing_records: BillingRecords
    ) -> None:
        before = billing_records.standing()
        old = {pod.uid: pod.component for pod in cluster.pods() if pod.component in OURS}
        with Load(platform.url, platform.api_key) as load:
            load.wait_for_answers(20, seconds=_SECONDS)
            try:
                cluster.drain(seconds=30)
                left = {pod.uid for pod in cluster.pods() if pod.well}
            finally:
                cluster.take_back()
            load.wait_for_answers(_WELL_IN_A_ROW, seconds=_SECONDS)
            _well(cluster)
        gone = sorted(component for uid, component in old.items() if uid not in left)
        assert gone == sorted(OURS), "the disruption budgets allow one of each"
        assert _failed(load.outcomes) == []
        billing_records.check(before, load.prefix, load.outcomes)
