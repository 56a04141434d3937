"""Any container is killed during billed calls: only retryable errors, recovery, and every call charged once."""

import time

import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.resilience.billing_records import BillingRecords
from tests.resilience.containers import Project
from tests.resilience.load import Load, Outcome

_SECONDS = 300
"""A deadline, not a measure: run.sh shows how long it took."""
_WELL_IN_A_ROW = 60  # calls; four callers make about forty a second


def _unacceptable(outcomes: list[Outcome], *, edge_killed: bool) -> list[Outcome]:
    """Outcomes that no caller may get: errors that are not retryable, or not in the platform's format."""
    return [
        outcome
        for outcome in outcomes
        if not outcome.answered and not outcome.retryable and not (edge_killed and outcome.status is None)
    ]


@pytest.mark.timeout(1800)
class TestKill:
    @pytest.mark.parametrize(
        "service",
        ["accountsadmin", "mlpcore", "mlpbilling", "gateway-0", "agent", "edge", "kafka", "redis", "postgres", "s3"],
    )
    def test_platform_survives_a_killed_container(
        self, service: str, platform: Platform, project: Project, billing_records: BillingRecords
    ) -> None:
        before = billing_records.standing()
        victim = project.replicas(service)[0]
        with Load(platform.url, platform.api_key) as load:
            load.wait_for_answers(20, seconds=_SECONDS)
            killed = time.monotonic()
            project.kill(victim)
            project.bring_back(victim)
            load.wait_for_answers(_WELL_IN_A_ROW, seconds=_SECONDS)
            answering = time.monotonic()
            eventually(project.unwell, until=lambda services: not services, seconds=_SECONDS, every=1)
            well = time.monotonic()
            with platform.signed_in("demo@example.org") as client:
                assert platform.account_of(client)
        assert _unacceptable(load.outcomes, edge_killed=service == "edge") == []
        billing_records.check(before, load.prefix, load.outcomes)
        print(  # noqa: T201  run.sh shows these figures
            f"{service}: {_WELL_IN_A_ROW} answers in a row {answering - killed:.1f} s after the kill, all containers well"
            f" after {well - killed:.1f} s"
        )
        _tell(service, killed, load.outcomes)


def _tell(service: str, killed: float, outcomes: list[Outcome]) -> None:
    failed = [outcome for outcome in outcomes if not outcome.answered]
    last = max((outcome.ended for outcome in failed), default=killed)
    slowest = max(outcome.ended - outcome.started for outcome in outcomes)
    print(  # noqa: T201  run.sh shows these figures
        f"{service}: {len(outcomes)} calls, {len(failed)} refused, the last {last - killed:.1f} s after the kill,"
        f" slowest {slowest:.1f} s"
    )
