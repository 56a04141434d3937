"""Every benchmark runs at a tiny size."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import FIGURES

ROOT = Path(__file__).parents[2]
RATED = {
    "idle": "rss_mb",
    "bodies": "mb_per_second",
    "overload": "refused_per_second",
    "placement": "ms",
    "heartbeats": "ms",
    "freed-place": "ms",
    "measures": "ms",
    "revocation": "ms",
}
"""What each figure measures, if not calls per second."""


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
            assert all(row[RATED.get(name, "per_second")]["median"] > 0 for row in figure["rows"])
        assert figures["ledger"]["usages"] == 2 * 200
        assert figures["ledger"]["sum_of_postings"] == 0
