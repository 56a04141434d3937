"""The packed chart, as people without a checkout install it."""

import json
import re
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import release
import versions

from tests.chart.conftest import CHART, EXTERNAL


class TestPackage:
    @pytest.mark.parametrize("values", [{"evaluation": True}, EXTERNAL])
    def test_helm_finds_nothing_to_criticise(self, helm: str, values: Mapping[str, Any], tmp_path: Path) -> None:
        file = tmp_path / "values.json"
        file.write_text(json.dumps(values))
        command = [helm, "lint", "--strict", str(CHART), "--values", str(file)]
        answer = subprocess.run(command, capture_output=True, check=False, text=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr

    def test_it_holds_the_files_of_the_edge_and_the_rules_and_renders_alike(self, helm: str, tmp_path: Path) -> None:
        subprocess.run([helm, "package", CHART, "--destination", tmp_path], capture_output=True, check=True)
        (packed,) = tmp_path.glob("*.tgz")
        with tarfile.open(packed) as archive:
            names = set(archive.getnames())
        assert "mlplace/files/gateway-config/conf.d/edge.conf.template" in names
        assert "mlplace/files/observability/alerts.yml" in names
        assert "mlplace/files/settings.md" in names
        assert not {name for name in names if "/tests/" in name}
        linked = re.findall(r"\]\((?!https?:)([^)#]+)", (CHART / "README.md").read_text())
        assert linked
        assert {f"mlplace/{path}" for path in linked} <= names
        rendered = [
            subprocess.run(
                [helm, "template", "mlplace", chart, "--set", "evaluation=true"], capture_output=True, check=True
            ).stdout
            for chart in (packed, CHART)
        ]
        assert rendered[0] == rendered[1]

    @pytest.mark.usefixtures("helm")
    def test_the_command_that_rotates_keys_is_published_beside_it(self, tmp_path: Path) -> None:
        release.write_chart(tmp_path)
        assert (tmp_path / f"mlplace-{versions.current()}.tgz").is_file()
        usage = subprocess.run([tmp_path / "rotate-key"], capture_output=True, check=False, text=True)
        assert usage.returncode == 2
        assert "internal-token|envelope-key RELEASE NAMESPACE" in usage.stderr
