"""Each query of the dashboards that ship gives data on the running project."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.resilience.containers import Project

pytestmark = pytest.mark.timeout(600)
_DASHBOARDS = Path(__file__).parents[2] / "observability" / "dashboards"
_INTERVAL = "1m"
"""What Grafana puts in place of `$__rate_interval` with this project's scrape interval."""
_SECONDS = 420
"""A new counter of a gate stays 0 for a minute, and a ledger that was empty is summed again after five; then an interval
of 10 s and a scrape of 15 s."""
_VARIABLE = re.compile(r"\$(account|model|resource_group)\b")
"""What a reader of a dashboard may choose. `.+`: any, but the series must have the label."""
_UNKNOWN_HERE = re.compile(r"_gpus_used\b|_gpu_memory_used_bytes\b|_wait_seconds_bucket\b")
"""The host has no GPU, and no call of the demo waits. What is unknown has no data; the query is sent all the same."""


def queries() -> Iterator[tuple[str, str]]:
    for path in sorted(_DASHBOARDS.glob("*.json")):
        for panel in panels(json.loads(path.read_text())):
            for target in panel.get("targets", ()):
                yield panel["title"], _VARIABLE.sub(".+", target["expr"].replace("$__rate_interval", _INTERVAL))


def panels(holder: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows hold panels of their own."""
    for panel in holder.get("panels", ()):
        yield panel
        yield from panels(panel)


@pytest.fixture(scope="module")
def caller(platform: Platform) -> Iterator[httpx.Client]:
    with platform.client(**{"MLP-API-KEY": platform.api_key}) as client:
        yield client


@pytest.fixture(scope="module")
def prometheus(caller: httpx.Client, project: Project) -> str:
    """Returns the address, after a call that was answered and one that was refused: both are rates on the dashboards."""
    eventually(lambda: call(caller), until=lambda status: status == httpx.codes.OK, seconds=_SECONDS)
    assert call(caller, "no-such-model") == httpx.codes.NOT_FOUND
    return f"http://{project.compose('port', 'prometheus', '9090').strip()}/api/v1/query"


def call(caller: httpx.Client, model: str = "greeting") -> int:
    return caller.post(f"/api/mlpgateway/account/acme/model/{model}/predict", json={"name": "Ada"}).status_code


@pytest.mark.parametrize(("panel", "query"), list(queries()), ids=lambda value: value[:60])
def test_query_has_data(caller: httpx.Client, prometheus: str, panel: str, query: str) -> None:
    def found() -> list[dict[str, Any]]:
        call(caller)  # a percentile of calls needs some in each minute
        answer = httpx.get(prometheus, params={"query": query}).json()
        assert answer["status"] == "success", (panel, answer)
        return [row for row in answer["data"]["result"] if row["value"][1] != "NaN"]

    if _UNKNOWN_HERE.search(query):
        found()
    else:
        assert eventually(found, seconds=_SECONDS)


def test_calls_are_seen_as_a_rise(caller: httpx.Client, prometheus: str) -> None:
    def rise() -> float:
        call(caller)
        query = 'sum(increase(mlp_model_calls_total{model="greeting", outcome="answered"}[5m]))'
        found = httpx.get(prometheus, params={"query": query}).json()["data"]["result"]
        return float(found[0]["value"][1]) if found else 0.0

    assert eventually(rise, until=lambda count: count > 0, seconds=_SECONDS)


@pytest.mark.parametrize(
    ("variable", "value"), [("account", "acme"), ("model", "greeting"), ("resource_group", "default")]
)
def test_variable_offers_what_there_is(prometheus: str, variable: str, value: str) -> None:
    (query,) = [
        each["query"]
        for each in json.loads((_DASHBOARDS / "models.json").read_text())["templating"]["list"]
        if each["name"] == variable
    ]
    selector = _VARIABLE.sub(".+", query.removeprefix("label_values(").removesuffix(f", {variable})"))
    address = prometheus.removesuffix("/query") + f"/label/{variable}/values"
    eventually(
        lambda: httpx.get(address, params={"match[]": selector}).json()["data"],
        until=lambda values: value in values,
        seconds=_SECONDS,
    )
