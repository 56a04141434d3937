"""Single decisions, each with the rule that makes it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from mlpcore.features.scaling_rules.decision import Counts, Decision, Kind, Load, decide
from mlpcore.features.scaling_rules.rules import Measure, Rules

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
RULES = Rules(least=1, most=5, up={Measure.ACTIVE: 4.0}, down={Measure.ACTIVE: 1.0})
LOW = Load({Measure.ACTIVE: 0.5}, {Measure.ACTIVE: 0.5})


def decided(load: Load, counts: Counts, rules: Rules = RULES, *, changed: timedelta = timedelta(hours=1)) -> Decision:
    return decide(rules, load, counts, changed_at=NOW - changed, now=NOW)


class TestDown:
    def test_low_load_removes_at_most_half(self) -> None:
        assert decided(LOW, Counts(5, 5)).wanted == 3

    @pytest.mark.parametrize(
        ("load", "counts"),
        [
            (replace(LOW, waiting=1.0), Counts(3, 3)),
            (LOW, Counts(3, 2, starting=1)),
            (Load({}, {}), Counts(3, 3)),
            (Load({}, {}, known=False), Counts(3, 3)),
            (LOW, Counts(3, 0)),
        ],
        ids=["calls wait", "one starts", "value unknown", "gates silent", "none connected"],
    )
    def test_number_stays(self, load: Load, counts: Counts) -> None:
        assert decided(load, counts, replace(RULES, up={})).kind is Kind.HOLD

    def test_instance_that_failed_does_not_hold_the_number(self) -> None:
        assert decided(LOW, Counts(3, 2)).kind is Kind.DOWN

    def test_every_threshold_must_be_undercut(self) -> None:
        rules = replace(RULES, down={Measure.ACTIVE: 1.0, Measure.CPU: 100.0})
        values = {Measure.ACTIVE: 0.5, Measure.CPU: 100.0}
        assert decided(Load(values, values), Counts(3, 3), rules).kind is Kind.HOLD
        values = {Measure.ACTIVE: 0.5, Measure.CPU: 99.0}
        assert decided(Load(values, values), Counts(3, 3), rules).kind is Kind.DOWN

    def test_without_calls_latency_is_low(self) -> None:
        rules = Rules(least=1, most=5, up={Measure.LATENCY: 500.0}, down={Measure.LATENCY: 100.0})
        assert decided(Load({}, {}, quiet=True), Counts(3, 3), rules).wanted == 2
        assert decided(Load({}, {}, quiet=False), Counts(3, 3), rules).kind is Kind.HOLD


class TestUp:
    def test_latency_adds_one_and_a_starting_one_counts(self) -> None:
        rules = Rules(least=1, most=5, up={Measure.LATENCY: 500.0})
        slow = Load({Measure.LATENCY: 900.0}, {})
        assert decided(slow, Counts(2, 2), rules).wanted == 3
        assert decided(slow, Counts(3, 2, starting=1), rules).kind is Kind.HOLD

    def test_waiting_calls_end_the_cooldown_early(self) -> None:
        busy = Load({Measure.ACTIVE: 8.0}, {}, waiting=3.0, served=1.0)
        assert decided(busy, Counts(2, 2), changed=timedelta(minutes=1)).wanted == 4
        calm = replace(busy, waiting=0.0)
        assert decided(calm, Counts(2, 2), changed=timedelta(minutes=1)) == Decision(Kind.HOLD, 2, "cooldown", 4)

    def test_one_wrong_sample_adds_ten_times_at_most(self) -> None:
        wrong = Load({Measure.ACTIVE: 1e9}, {})
        assert decided(wrong, Counts(2, 2), replace(RULES, most=1000)).wanted == 20

    def test_maximum_is_told_with_the_needed_number(self) -> None:
        busy = Load({Measure.ACTIVE: 8.0}, {})
        assert decided(busy, Counts(5, 5)) == Decision(Kind.HOLD, 5, "maximum", 10)
