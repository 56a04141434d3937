"""Gates are replaced one after the other while calls run, and no call fails."""

import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.resilience.billing_records import BillingRecords
from tests.resilience.containers import Project
from tests.resilience.load import Load

_SECONDS = 120
_GATES = ("gateway-0", "gateway-1")


def _well(project: Project) -> None:
    eventually(project.unwell, until=lambda services: not services, seconds=_SECONDS, every=1)


@pytest.mark.timeout(900)
class TestGates:
    def test_a_rolling_restart_fails_no_call(
        self, platform: Platform, project: Project, billing_records: BillingRecords
    ) -> None:
        before = billing_records.standing()
        with Load(platform.url, platform.api_key) as load:
            load.wait_for_answers(20, seconds=_SECONDS)
            for gate in _GATES:
                project.compose("restart", gate)
                _well(project)
                load.wait_for_answers(40, seconds=_SECONDS)
        assert [outcome for outcome in load.outcomes if not outcome.answered] == []
        billing_records.check(before, load.prefix, load.outcomes)

    def test_a_rolling_replacement_fails_no_call(
        self, platform: Platform, project: Project, billing_records: BillingRecords
    ) -> None:
        before = billing_records.standing()
        with Load(platform.url, platform.api_key) as load:
            load.wait_for_answers(20, seconds=_SECONDS)
            for gate in _GATES:
                project.compose("up", "--detach", "--no-deps", "--force-recreate", "--wait", gate)
                load.wait_for_answers(40, seconds=_SECONDS)
        assert [outcome for outcome in load.outcomes if not outcome.answered] == []
        billing_records.check(before, load.prefix, load.outcomes)
