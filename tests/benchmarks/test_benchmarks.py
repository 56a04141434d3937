"""Every benchmark runs at a tiny size, and its figures are evaluated correctly."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import FIGURES
from benchmarks.bars import judge, ratio_of
from benchmarks.report import PAGE, write_docs
from benchmarks.spread import Spread, heap_near_40_ms, histogram, percentile

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "benchmarks" / "results" / "latest.json"


@pytest.fixture
def kept() -> dict[str, dict[str, dict[str, object]]]:
    return json.loads(KEPT.read_text())


class TestRun:
    @pytest.mark.e2e
    @pytest.mark.timeout(900)
    def test_every_figure_is_measured_without_wrong_answers(self, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "benchmarks", "--tiny", "--output", str(tmp_path)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=870, check=False)
        assert ended.returncode == 0, ended.stderr[-3000:]
        figures = json.loads((tmp_path / "latest.json").read_text())["figures"]
        assert set(figures) == set(FIGURES)
        for name, figure in figures.items():
            rated = {"idle": "rss_mb", "bodies": "mb_per_second", "overload": "refused_per_second"}.get(
                name, "per_second"
            )
            assert all(row[rated]["median"] > 0 for row in figure["rows"])
        assert figures["ledger"]["usages"] == 2 * 200
        assert figures["ledger"]["sum_of_postings"] == 0


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
        assert copy.read_text() == PAGE.read_text(), "python -m benchmarks --write-docs was not run"


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
