"""What Prometheus reads of the calls of one gate."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from mlpgateway.features.detailed_metrics.service import DetailedMetrics
from mlpgateway.policy.call_samples.totals import CallTotals
from mlpgateway.readmodels.accounts import Accounts
from mlpgateway.readmodels.models import Models
from mlplace_contracts.events import CallerSample, InstanceSample
from mlplace_testing.gate_samples import Gate, sample

START = datetime(2026, 3, 2, 12, tzinfo=UTC)
MODEL, OTHER = 7, 8


class Reads:
    """The totals of a gate, as Prometheus reads them. `removed`: instances that no longer exist."""

    def __init__(self, kit: SimpleNamespace) -> None:
        self.now, self.gate, self.removed = START, Gate(), set[int]()
        self.totals = CallTotals(self)
        self.models = Models()
        self.models.apply(kit.model_changed(MODEL, "ner"))
        self.metrics = DetailedMetrics(self.totals, self.models, Accounts())

    def account_of(self, model_id: int) -> int | None:
        model = self.models.by_id(model_id)
        return model.account_id if model else None

    def accepts_connections(self, instance_id: int) -> bool:
        return instance_id not in self.removed

    def report(self, *samples: InstanceSample, callers: tuple[CallerSample, ...] = (), seconds: int = 10) -> None:
        self.now += timedelta(seconds=seconds)
        self.totals.add(self.gate.report(self.now, *samples, callers=callers))
        self.totals.settle(self.now)

    def values(self, name: str, **labels: str) -> list[float]:
        text = "".join(self.metrics.pieces())
        found = (one for family in text_string_to_metric_families(text) for one in family.samples)
        return [one.value for one in found if one.name == name and labels.items() <= one.labels.items()]

    def answered(self, **labels: str) -> list[float]:
        return self.values("mlp_model_calls_total", outcome="answered", **labels)


@pytest.fixture
def reads(kit: SimpleNamespace) -> Reads:
    return Reads(kit)


class TestCounters:
    def test_a_new_one_is_0_until_it_was_read_and_then_has_all_calls(self, reads: Reads) -> None:
        reads.report(sample(MODEL, answered=3))
        assert reads.answered() == [0]
        reads.report(sample(MODEL, answered=2), seconds=50)
        assert reads.answered() == [0]
        reads.report()
        assert reads.answered() == [5]
        reads.report(sample(MODEL, answered=1))
        assert reads.answered() == [6]

    def test_a_clock_that_is_set_back_stops_no_counter(self, reads: Reads) -> None:
        reads.report(sample(MODEL, answered=3))
        reads.report(seconds=60)
        reads.report(sample(MODEL, answered=1), seconds=-3600)
        assert reads.answered() == [4]

    def test_each_outcome_instance_and_state_is_counted(self, reads: Reads) -> None:
        one = sample(MODEL, instance_id=5, answered=3, failed=1, refused=2, active_ms=2500, reconnects=4)
        reads.report(one, sample(MODEL, instance_id=0, refused=9, waiting_ms=1500))
        reads.report(seconds=60)
        calls = {
            outcome: reads.values("mlp_model_calls_total", instance_id="5", outcome=outcome)
            for outcome in ("answered", "failed", "refused")
        }
        assert calls == {"answered": [3], "failed": [1], "refused": [2]}
        assert reads.values("mlp_model_calls_total", instance_id="", outcome="refused") == [9]
        assert reads.values("mlp_model_active_call_seconds_total", account="acme", model="ner", instance_id="5") == [
            2.5
        ]
        assert reads.values("mlp_model_waiting_call_seconds_total", instance_id="") == [1.5]
        assert reads.values("mlp_model_reconnects_total", instance_id="5") == [4]

    def test_calls_of_accounts(self, reads: Reads) -> None:
        reads.report(callers=(CallerSample(account_id=9, calls=10, exceeded=4),))
        assert reads.values("mlp_account_calls_total", account="9", outcome="allowed") == [0]
        reads.report(callers=(CallerSample(account_id=9, calls=1, exceeded=0),), seconds=60)
        assert reads.values("mlp_account_calls_total", account="9", outcome="allowed") == [7]
        assert reads.values("mlp_account_calls_total", account="9", outcome="exceeded") == [4]


class TestHistograms:
    def test_each_bound_counts_what_is_not_longer_and_the_last_one_all(self, reads: Reads) -> None:
        times = {"time_ms": 9_000, "time_buckets": (1, 9, 10, 200), "time_counts": (1, 2, 2, 1)}
        for _ in range(2):
            reads.report(sample(MODEL, answered=6, **times), seconds=60)
        found = [
            reads.values("mlp_model_answer_seconds_bucket", le=le)
            for le in ("0.0012", "0.00516", "0.02219", f"{1.2**70 / 1000:.4g}", "+Inf")
        ]
        assert found == [[2], [6], [10], [10], [12]]
        assert reads.values("mlp_model_answer_seconds_count") == [12]
        assert reads.values("mlp_model_answer_seconds_sum") == [18.0]

    def test_first_waits_are_a_rise_from_0(self, reads: Reads) -> None:
        reads.report(sample(MODEL, answered=1))
        reads.report(seconds=60)
        assert reads.values("mlp_model_wait_seconds_count") == [0]
        reads.report(sample(MODEL, wait_ms=20, wait_buckets=(3,), wait_counts=(2,)))
        assert reads.values("mlp_model_wait_seconds_count") == [2]
        assert reads.values("mlp_model_wait_seconds_sum") == [0.02]


class TestRemoved:
    def test_last_calls_of_a_removed_instance_are_shown_for_two_minutes(self, reads: Reads) -> None:
        reads.report(sample(MODEL, instance_id=5, answered=1), sample(MODEL, instance_id=6, answered=1))
        reads.removed = {5}
        reads.report(seconds=115)
        assert reads.answered() == [1, 1]
        reads.report()
        assert reads.answered() == [1]

    def test_a_model_that_has_the_name_of_a_deleted_one_does_not_share_its_series(
        self, reads: Reads, kit: SimpleNamespace
    ) -> None:
        reads.report(sample(MODEL, instance_id=0, answered=100))
        reads.models.apply(kit.model_changed(MODEL, "ner", active=False))
        reads.models.apply(kit.model_changed(OTHER, "ner"))
        reads.report(sample(OTHER, instance_id=0, answered=1), seconds=60)
        reads.report(seconds=60)
        assert reads.answered(model="ner") == [1]

    def test_accounts_that_call_no_more_are_forgotten(self, reads: Reads) -> None:
        reads.report(callers=(CallerSample(account_id=9, calls=10, exceeded=4),))
        reads.report(seconds=60)
        assert reads.values("mlp_account_calls_total", account="9", outcome="allowed") == [6]
        reads.report(seconds=25 * 3600)
        assert reads.values("mlp_account_calls_total") == []


class TestBounds:
    def test_instances_started_without_end_get_no_series_of_their_own_but_are_counted(self, reads: Reads) -> None:
        for first in range(1, 2001, 100):
            reads.report(*(sample(MODEL, instance_id=number, answered=1) for number in range(first, first + 100)))
        reads.report(seconds=60)
        assert len(reads.answered()) == 501
        assert reads.answered(instance_id="others") == [1500]
        assert sum(reads.answered()) == 2000

    def test_an_hour_later_new_instances_have_series_again(self, reads: Reads) -> None:
        reads.report(*(sample(MODEL, instance_id=number, answered=1) for number in range(1, 1001)))
        reads.report(seconds=3601)
        reads.report(sample(MODEL, instance_id=5000, answered=7))
        reads.report(seconds=60)
        assert reads.answered(instance_id="5000") == [7]
