"""Figures of benchmarks are evaluated correctly."""

import json
from pathlib import Path

import pytest

from benchmarks.bars import judge, ratio_of
from benchmarks.figures import heartbeats, measures
from benchmarks.report import PAGE, share_of_heartbeats, write_docs
from benchmarks.spread import Spread, heap_near_40_ms, histogram, percentile

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "benchmarks" / "results" / "latest.json"


@pytest.fixture
def kept() -> dict[str, dict[str, dict[str, object]]]:
    return json.loads(KEPT.read_text())


class TestKeptResult:
    def test_does_not_identify_the_machine(self) -> None:
        text = KEPT.read_text()
        assert "/home" not in text
        assert "/work" not in text
        assert "/tmp" not in text

    def test_matches_the_page(self, kept: dict[str, object], tmp_path: Path) -> None:
        copy = tmp_path / "performance.md"
        copy.write_text(PAGE.read_text())
        write_docs(kept, copy)
        assert copy.read_text() == PAGE.read_text(), "python -m benchmarks --docs-only was not run"


class TestJudge:
    def test_reports_a_missed_target(self, kept: dict[str, dict[str, dict[str, object]]]) -> None:
        missed_before = sum(verdict.missed for verdict in judge(kept))
        for row in kept["figures"]["calls"]["rows"]:  # type: ignore[attr-defined]  # a list
            if row["name"].startswith("gateway"):
                row["rounds"]["per_second_per_core"] = [1.0 for _ in row["rounds"]["per_second_per_core"]]
        assert sum(verdict.missed for verdict in judge(kept)) >= max(missed_before, 1)

    def test_every_feature_has_a_target(self, kept: dict[str, dict[str, dict[str, object]]]) -> None:
        waits = kept["figures"]["features"]["waits_ms"]
        waits["important"]["median"] = waits["start"]["worst"] = 10_000.0  # type: ignore[index]
        waits["lone"] = {"median": 10_000.0}  # type: ignore[index]
        for row in kept["figures"]["features"]["rows"]:  # type: ignore[attr-defined]  # a list
            if row["name"] == "batches of 8":
                row["rounds"]["per_second"] = [1.0 for _ in row["rounds"]["per_second"]]
                row["rounds"]["p50_us"] = [10**7 for _ in row["rounds"]["p50_us"]]
            if row["name"].startswith("limits"):
                row["rounds"]["per_second_per_core"] = [1.0 for _ in row["rounds"]["per_second_per_core"]]
        alone = {"figures": {"features": kept["figures"]["features"]}}
        assert [verdict.missed for verdict in judge(alone)] == [True] * 5

    @pytest.mark.parametrize(
        ("figure", "found", "missed"),
        [
            ("refused_p99_ms", 20.0, []),
            ("refused_p99_ms", 20.1, [0]),
            ("improper", 1.0, [0]),
            ("health_p99_ms", 51.0, [1]),
            ("health_unanswered", 1.0, [1]),
            ("growth_mb", 65.0, [2]),
        ],
    )
    def test_overload_is_judged_by_its_worst_round(self, figure: str, found: float, missed: list[int]) -> None:
        names = ("refused_p99_ms", "improper", "health_p99_ms", "health_unanswered", "growth_mb")
        rounds = {name: [0.0, 0.0, 0.0] for name in names} | {figure: [0.0, found, 0.0]}
        verdicts = judge({"figures": {"overload": {"rows": [{"name": "full", "rounds": rounds}]}}})
        assert [place for place, verdict in enumerate(verdicts) if verdict.missed] == missed

    @pytest.mark.parametrize(("late", "missed"), [(1, False), (2, True)])
    def test_one_of_twenty_freed_places_may_be_used_late(self, late: int, missed: bool) -> None:
        times = [2001.0] * late + [600.0] * (20 - late)
        row = {"name": "the last place", "rounds": {"ms": times}}
        assert [verdict.missed for verdict in judge({"figures": {"freed-place": {"rows": [row]}}})] == [missed]

    @pytest.mark.parametrize(("worst", "missed"), [(2000.0, False), (2000.1, True)])
    def test_a_deleted_key_is_judged_by_its_last_stream(self, worst: float, missed: bool) -> None:
        row = {"name": "the last of its streams ends", "rounds": {"ms": [60.0] * 99 + [worst]}}
        assert [verdict.missed for verdict in judge({"figures": {"revocation": {"rows": [row]}}})] == [missed]

    def test_the_share_of_reports_of_servers_is_that_of_unchanged_ones(self) -> None:
        row = {"name": heartbeats.SAME, "cpu_ms": {"median": 4}}
        changed = {"name": heartbeats.RESTARTED, "cpu_ms": {"median": 50}}
        assert share_of_heartbeats({"servers": 200, "rows": [changed, row]}, "cpu_ms") == 0.8

    @pytest.mark.parametrize(("minute", "year", "missed"), [(6000, 49, []), (6600, 51, [0, 1])])
    def test_measures_may_take_a_share_of_a_core_and_a_year_a_time(
        self, minute: float, year: float, missed: list[int]
    ) -> None:
        nothing = {measures.QUARTER: 0, measures.SCRAPE: 0}
        costs = {measures.GATE_REPORTS: 1000, measures.AGENT_SAMPLES: 950, measures.MINUTE: minute, **nothing}
        rows = [{"name": name, "cpu_ms": {"median": cost}, "ms": {"median": 1}} for name, cost in costs.items()]
        rows += [{"name": name, "cpu_ms": {"median": 9}, "ms": {"median": year}} for name in measures.YEARS]
        verdicts = judge({"figures": {"measures": {"services": 1, "instances_of_each": 2, "rows": rows}}})
        assert [place for place, verdict in enumerate(verdicts) if verdict.missed] == missed


class TestStatistics:
    def test_a_percentile_is_one_of_the_values(self) -> None:
        assert [percentile([1, 2, 3, 4, 100], share) for share in (0.5, 0.8, 0.95)] == [3, 4, 100]

    def test_the_spread_contains_the_middle_half(self) -> None:
        assert Spread.of([1, 2, 3, 4, 5]) == Spread(3, 2, 4)

    def test_the_histogram_counts_times_up_to_each_edge(self) -> None:
        assert histogram([100, 250, 251, 39_000, 2_000_000]) == {"0.25": 2, "0.5": 1, "40": 1, "more": 1}

    @pytest.mark.parametrize(
        ("times_ms", "found"),
        [
            ([1] * 95 + [40] * 5, 0.05),
            ([1] * 90 + [28] * 5 + [41] * 5, 0.025),
            ([1] * 80 + [30, 35, 40, 45, 50, 55] * 5, 0.0),
            ([1] * 999 + [40], 0.0),
        ],
    )
    def test_a_peak_near_40_ms_exceeds_its_neighbours(self, times_ms: list[float], found: float) -> None:
        assert heap_near_40_ms(histogram([ms * 1000 for ms in times_ms])) == pytest.approx(found)

    def test_ratios_compare_values_of_the_same_round(self) -> None:
        """Noise that falls on both subjects of a round cancels out."""
        rows = [
            {"name": "a", "concurrency": 64, "rounds": {"per_second_per_core": [10.0, 20.0, 40.0]}},
            {"name": "b", "concurrency": 64, "rounds": {"per_second_per_core": [1.0, 2.0, 4.0]}},
        ]
        assert ratio_of({"rows": rows}, "a", "b", concurrency=64) == (10.0, 10.0, 10.0)
