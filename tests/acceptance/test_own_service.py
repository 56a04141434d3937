"""Steps of the main job: a user's own model, hosted anywhere."""

import os
import subprocess
import sys
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually

ROOT = Path(__file__).parents[2]
GREETING = ROOT / "examples" / "greeting" / "main.py"
PUBLIC_SDK_TWIN = ROOT / "services" / "mlpgateway" / "tests" / "public_sdk_twin.py"


@pytest.fixture
def model(platform: Platform, caller: httpx.Client) -> str:
    """The path of a new model of the caller that refuses calls while it has no instance."""
    base = f"/api/mlpcore/account/{platform.account_of(caller)}"
    name = f"mine-{uuid.uuid4().hex[:8]}"
    image = caller.post(f"{base}/image", json={"name": name, "image": f"example.org/{name}:1", "accessMode": "private"})
    identity = image.raise_for_status().json()["id"]
    body = {
        "modelName": name, "imageAccountId": identity["accountId"], "imageId": identity["imageId"],
        "taskType": "custom", "hostingType": "EXTERNAL", "rejectRequestsIfInactive": True,
    }  # fmt: skip
    caller.post(f"{base}/model", json=body).raise_for_status()
    return f"{base}/model/{name}"


@contextmanager
def _running(program: Path, environment: dict[str, str], tmp_path: Path) -> Generator[subprocess.Popen[bytes]]:
    probes = {name: str(tmp_path / name.lower()) for name in ("MLP_STARTUP_PROBE_FILE", "MLP_LIVENESS_PROBE_FILE")}
    process = subprocess.Popen(
        [sys.executable, str(program)], env={**os.environ, **environment, **probes}, stdout=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _connected(caller: httpx.Client, model: str) -> list[bool]:
    return [row["connected"] for row in caller.get(f"{model}/external").raise_for_status().json()]


def _statuses(caller: httpx.Client, model: str) -> list[str]:
    rows = caller.get(f"{model}/instance").raise_for_status().json()["instances"]
    return [row["statusInfo"]["totalStatus"] for row in rows]


def _predict_path(model: str) -> str:
    return model.replace("mlpcore", "mlpgateway") + "/predict"


class TestExternalInstance:
    def test_connects_serves_and_disconnects(
        self, platform: Platform, caller: httpx.Client, model: str, tmp_path: Path
    ) -> None:
        made = caller.post(f"{model}/external").raise_for_status().json()
        assert made["dockerRunCommand"].startswith("docker run ")
        assert "services:" in made["dockerComposeContent"]
        key = {"MLP-API-KEY": platform.api_key}
        with platform.client(**key) as client:
            eventually(  # a gate learns of the model by an event
                lambda: client.post(_predict_path(model), json={"name": "Ада"}).json()["code"],
                until=lambda code: code == "mlp.gate.no_active_instances",
            )
            with _running(GREETING, made["envVariables"], tmp_path) as process:
                eventually(lambda: _connected(caller, model), until=lambda rows: rows == [True])
                assert _statuses(caller, model) == ["RUNNING"]
                answer = client.post(_predict_path(model), json={"name": "Ада"})
                assert answer.status_code == 200, answer.text
                assert "Ада" in answer.text
                process.terminate()
                assert process.wait(timeout=30) == 0
            eventually(lambda: _connected(caller, model), until=lambda rows: rows == [False])
            assert client.post(_predict_path(model), json={"name": "Ада"}).status_code == 503
        left = caller.delete(f"{model}/external/{made['id']['instanceId']}").raise_for_status().json()
        assert left == []

    def test_a_model_of_the_public_sdk_runs_unmodified(
        self, platform: Platform, caller: httpx.Client, model: str, tmp_path: Path
    ) -> None:
        made = caller.post(f"{model}/external").raise_for_status().json()
        with _running(PUBLIC_SDK_TWIN, made["envVariables"], tmp_path), platform.client() as client:
            eventually(lambda: _connected(caller, model), until=lambda rows: rows == [True])
            headers = {"MLP-API-KEY": platform.api_key}
            answer = client.post(_predict_path(model), json={"name": "Ада"}, headers=headers)
            assert answer.status_code == 200, answer.text

    def test_a_wrong_token_is_refused_without_effect_on_others(
        self, platform: Platform, caller: httpx.Client, model: str, tmp_path: Path
    ) -> None:
        made = caller.post(f"{model}/external").raise_for_status().json()
        token = made["envVariables"]["MLP_SERVICE_TOKEN"]
        wrong = {**made["envVariables"], "MLP_SERVICE_TOKEN": token[:-1] + ("a" if token[-1] != "a" else "b")}
        with _running(GREETING, wrong, tmp_path), platform.client(**{"MLP-API-KEY": platform.api_key}) as client:
            for _ in range(20):
                answer = client.post("/api/mlpgateway/account/acme/model/greeting/predict", json={"name": "x"})
                assert answer.status_code == 200
            assert _connected(caller, model) == [False]
