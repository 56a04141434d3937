"""Rules, dashboards, the operating guide and the code name the same alerts and metrics."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
OBSERVABILITY = ROOT / "observability"
CASES = Path(__file__).parent / "alerts.test.yml"
GUIDE = (ROOT / "docs" / "operating.md").read_text()
ERRORS = (ROOT / "docs" / "errors.md").read_text()
METRICS = (ROOT / "docs" / "metrics.md").read_text()
METRIC = re.compile(r"\bmlp_[a-z_]+\b")
SERIES = ("_bucket", "_count", "_sum")


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((OBSERVABILITY / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def metrics_of_the_code() -> set[str]:
    files = (path for folder in ("libs", "services") for path in (ROOT / folder).glob("*/src/**/*.py"))
    return {name for path in files for name in re.findall(r'"(mlp_[a-z_]+)"', path.read_text())}


def dashboard_expressions() -> Iterator[str]:
    for path in (OBSERVABILITY / "dashboards").glob("*.json"):
        for panel in json.loads(path.read_text())["panels"]:
            yield from (target["expr"] for target in panel.get("targets", []))


def unknown(expressions: Iterator[str]) -> set[str]:
    named = {name for text in expressions for name in METRIC.findall(text)}
    known = metrics_of_the_code()
    return {name for name in named if name not in known and not _is_series(name, known)}


def _is_series(name: str, known: set[str]) -> bool:
    return any(name.endswith(ending) and name.removesuffix(ending) in known for ending in SERIES)


class TestRules:
    def test_every_rule_uses_metrics_that_the_code_records(self) -> None:
        assert unknown(rule["expr"] for rule in rules()) == set()

    def test_no_rule_watches_other_programs_or_mixes_installations(self) -> None:
        """A cluster has one Prometheus for many programs, and may have several releases of the chart."""
        for rule in rules():
            for matchers in re.findall(r"\bup\b(\{[^}]*\})?", rule["expr"]):
                assert "accountsadmin" in matchers or "mlp" in matchers, rule["alert"]
            for aggregation in re.findall(r"\b(?:sum|max|min|count|avg)\b *(.{0,13})", rule["expr"]):
                assert aggregation.startswith("by (namespace"), rule["alert"]

    def test_every_alert_says_how_bad_it_is_and_what_is_wrong(self) -> None:
        for rule in rules():
            assert rule["labels"]["severity"] in {"warning", "critical"}, rule["alert"]
            assert rule["annotations"]["summary"], rule["alert"]

    def test_refusals_by_limits_of_accounts_are_no_alert(self) -> None:
        """Only errors of the platform are: those with a status from 500 on."""
        (rule,) = (rule for rule in rules() if rule["alert"] == "CallsRefused")
        groups = re.findall(r"(mlp\.\w+)\.\(([^)]*)\)", rule["expr"])
        watched = {f"{prefix}.{name}" for prefix, names in groups for name in names.split("|")}
        statuses = dict(re.findall(r"^\| `([\w.-]+)` \| (\d+) \|", ERRORS, re.MULTILINE))
        assert len(watched) > 5
        assert {code for code in watched if int(statuses[code]) < 500} == set()

    def test_each_alert_has_a_case_in_which_it_begins(self) -> None:
        """`tests/resilience/test_alerts.py` gives the cases to Prometheus."""
        cases = yaml.safe_load(CASES.read_text())["tests"]
        begun = {test["alertname"] for case in cases for test in case["alert_rule_test"] if test["exp_alerts"]}
        assert begun == {rule["alert"] for rule in rules()}


class TestDashboards:
    def test_every_panel_uses_metrics_that_the_code_records(self) -> None:
        expressions = list(dashboard_expressions())
        assert len(expressions) > 10
        assert unknown(iter(expressions)) == set()


class TestGuide:
    def test_it_says_what_to_do_at_each_alert(self) -> None:
        section = GUIDE.partition("### Alerts\n")[2].partition("\n### ")[0]
        documented = re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", section, re.MULTILINE)
        assert documented == [rule["alert"] for rule in rules()]

    def test_every_metric_that_it_names_exists(self) -> None:
        assert unknown(iter([GUIDE.partition("## Watch\n")[2].partition("\n## ")[0]])) == set()

    def test_detailed_metrics_are_those_of_the_code(self) -> None:
        documented = set(METRIC.findall(METRICS.partition("## Prometheus\n")[2]))
        assert unknown(iter(documented)) == set()
        named = re.compile(r"mlp_(instance|server|model|account)_")
        missing = {name for name in metrics_of_the_code() if named.match(name)} - documented
        assert {name for name in missing if not any(f"{name}{ending}" in documented for ending in SERIES)} == set()
