"""The alert rules that ship say of measured values what tests/observability/alerts.test.yml expects of them."""

import shlex
from pathlib import Path

from tests.resilience.containers import Project

_CASES = Path(__file__).parents[1] / "observability" / "alerts.test.yml"
_SECONDS = 60


class TestRules:
    def test_each_alert_begins_when_it_should_and_not_before(self, project: Project) -> None:
        """The project's Prometheus has the rules, and the program that tests them."""
        place = "/tmp/alerts.test.yml"
        command = f"cat >{shlex.quote(place)} && promtool test rules {shlex.quote(place)}"
        with project.opened(project.replicas("prometheus")[0], "sh", "-c", command) as process:
            said, _ = process.communicate(_CASES.read_text(), _SECONDS)
            assert process.returncode == 0, said
