"""The house rules that ruff checks, with the repository's configuration."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = "services/mlpcore/src/mlpcore/features/keys/service.py"
PLANTED = {
    "PGH003": "import os  # type: ignore\n",
    "PGH004": "import os  # noqa\n",
    "FIX002": "# TODO: later\n",
    "FIX001": "# FIXME: later\n",
    "T201": "print('x')\n",
}


def broken_rules(filename: str, text: str) -> str:
    command = [sys.executable, "-m", "ruff", "check", "--output-format=concise", "--stdin-filename", filename, "-"]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, input=text, text=True).stdout


class TestConfiguration:
    @pytest.mark.parametrize(("rule", "text"), PLANTED.items(), ids=PLANTED)
    def test_a_planted_violation_is_found(self, rule, text):
        assert rule in broken_rules(SOURCE, text)

    @pytest.mark.parametrize("filename", ["tools/check.py", "services/standalone/src/standalone/cli.py"])
    def test_command_line_programs_may_print(self, filename):
        assert "T201" not in broken_rules(filename, PLANTED["T201"])
