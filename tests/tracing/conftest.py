"""The platform behind a real edge, and an instance of a model, as processes that export their spans."""

import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from mlplace_testing.ports import free_port
from mlplace_testing.servers.nginx import Absent, Nginx, find_launcher
from tests.acceptance.waiting import eventually
from tests.tracing.collector import Collector, opentelemetry_collector

ROOT = Path(__file__).parents[2]

OWNER = {"login": "ann@example.org", "password": "correct horse battery"}  # pragma: allowlist secret
PROMPTLY = {"OTEL_BSP_SCHEDULE_DELAY": "100"}
"""Milliseconds between exports of spans."""


@pytest.fixture(scope="package")
def collector() -> Iterator[Collector]:
    made = Collector()
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="package")
def otelcol() -> str | None:
    """The program of the OpenTelemetry collector, if it can be had."""
    answer = subprocess.run([str(ROOT / "tools" / "otelcol")], capture_output=True, check=False, text=True)
    return answer.stdout.strip() if answer.returncode == 0 else None


@pytest.fixture(scope="package")
def endpoint(collector: Collector, otelcol: str | None) -> Iterator[str]:
    """Where processes send spans: to the OpenTelemetry collector in front of the tests' own, or else to that one."""
    if otelcol is None:
        yield collector.endpoint
        return
    with opentelemetry_collector(otelcol, collector) as url:
        yield url


@contextmanager
def process(command: list[str], environment: dict[str, str], log: Path) -> Generator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        started = subprocess.Popen(command, env={**os.environ, **environment}, stdout=output, stderr=output)
    try:
        yield started
    finally:
        started.terminate()
        started.wait(timeout=60)


@dataclass(frozen=True)
class Way:
    """A way to reach the platform."""

    url: str
    grpc_address: str


@dataclass(frozen=True)
class Edge(Way):
    nginx: Nginx


@pytest.fixture(scope="package")
def straight(endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    """The platform directly."""
    folder = tmp_path_factory.mktemp("platform")
    port, gate = free_port(), free_port()
    environment = {"MLP_OTLP_ENDPOINT": endpoint, "MLP_DEMO": "false", "MLP_GRPC_PORT": str(gate), **PROMPTLY}
    command = [sys.executable, "-m", "standalone", "run", "--port", str(port), "--data-dir", str(folder / "data")]
    log = folder / "output"
    with process(command, environment, log) as platform:
        eventually(lambda: _is_up(platform, log), seconds=240)
        yield Way(f"http://127.0.0.1:{port}", f"127.0.0.1:{gate}")


@pytest.fixture(scope="package")
def edge(straight: Way) -> Iterator[Edge]:
    """The edge in front of the platform."""
    try:
        launcher = find_launcher()
    except Absent as reason:
        pytest.skip(str(reason))
    names = ("ACCOUNTSADMIN", "MLPCORE", "MLPGATEWAY", "MLPBILLING")
    upstreams = {f"EDGE_{name}": urlsplit(straight.url).netloc for name in names}
    nginx = Nginx(launcher, {**upstreams, "EDGE_GATE": straight.grpc_address})
    nginx.start()
    try:
        yield Edge(f"http://127.0.0.1:{nginx.http_port}", f"127.0.0.1:{nginx.grpc_port}", nginx)
    finally:
        nginx.stop()


@pytest.fixture(params=["straight", "edge"])
def way(request: pytest.FixtureRequest) -> Way:
    return request.getfixturevalue(request.param)


def _is_up(platform: subprocess.Popen[bytes], log: Path) -> bool:
    assert platform.poll() is None, log.read_text()
    return "MLPlace is up" in log.read_text()


@dataclass(frozen=True)
class Served:
    """A model with a connected instance, and a key that may call it."""

    account: str
    model: str
    key: str


@pytest.fixture(scope="package")
def served(straight: Way, endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with httpx.Client(base_url=straight.url, timeout=60) as owner:
        body = {**OWNER, "accountName": "acme"}
        owner.post("/api/accountsadmin/c/authorization/register", json=body).raise_for_status()
        core = "/api/mlpcore/account/acme"
        wanted = {"name": "greeting", "image": "example.org/greeting:1", "accessMode": "private"}
        eventually(lambda: owner.get("/api/mlpcore/account").is_success)
        image = owner.post(f"{core}/image", json=wanted).raise_for_status().json()["id"]
        model = {
            "modelName": "greeting", "imageAccountId": image["accountId"], "imageId": image["imageId"],
            "taskType": "custom", "hostingType": "EXTERNAL",
        }  # fmt: skip
        owner.post(f"{core}/model", json=model).raise_for_status()
        made = owner.post(f"{core}/model/greeting/external").raise_for_status().json()
        key = owner.post(f"{core}/token", params={"name": "traced"}).raise_for_status().json()
        folder = tmp_path_factory.mktemp("instance")
        environment = {
            **made["envVariables"],
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": endpoint,
            "MLP_STARTUP_PROBE_FILE": str(folder / "startup"),
            "MLP_LIVENESS_PROBE_FILE": str(folder / "liveness"),
            **PROMPTLY,
        }
        with process([sys.executable, str(ROOT / "examples/greeting/main.py")], environment, folder / "output"):
            eventually(lambda: owner.get(f"{core}/model/greeting/external").json()[0]["connected"], seconds=60)
            yield Served("acme", "greeting", key["token"])
