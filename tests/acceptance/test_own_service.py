"""Steps of the main job: a user's own model, hosted anywhere."""

from pathlib import Path

import httpx
import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.own_models import GREETING, ROOT, connected, external_instance, new_model, predict_path, running
from tests.acceptance.waiting import eventually

PUBLIC_SDK_TWIN = ROOT / "services" / "mlpgateway" / "tests" / "public_sdk_twin.py"


@pytest.fixture
def model(platform: Platform, caller: httpx.Client) -> str:
    return new_model(platform, caller)


def _statuses(caller: httpx.Client, model: str) -> list[str]:
    rows = caller.get(f"{model}/instance").raise_for_status().json()["instances"]
    return [row["statusInfo"]["totalStatus"] for row in rows]


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
                lambda: client.post(predict_path(model), json={"name": "Ада"}).json()["code"],
                until=lambda code: code == "mlp.gate.no_active_instances",
            )
            with running(GREETING, made["envVariables"], tmp_path) as process:
                eventually(lambda: connected(caller, model), until=lambda rows: rows == [True])
                assert _statuses(caller, model) == ["RUNNING"]
                answer = client.post(predict_path(model), json={"name": "Ада"})
                assert answer.status_code == 200, answer.text
                assert "Ада" in answer.text
                process.terminate()
                assert process.wait(timeout=60) == 0
            eventually(lambda: connected(caller, model), until=lambda rows: rows == [False])
            assert client.post(predict_path(model), json={"name": "Ада"}).status_code == 503
        left = caller.delete(f"{model}/external/{made['id']['instanceId']}").raise_for_status().json()
        assert left == []

    def test_a_model_of_the_public_sdk_runs_unmodified(
        self, platform: Platform, caller: httpx.Client, model: str, tmp_path: Path
    ) -> None:
        with (
            external_instance(caller, model) as environment,
            running(PUBLIC_SDK_TWIN, environment, tmp_path),
            platform.client() as client,
        ):
            eventually(lambda: connected(caller, model), until=lambda rows: rows == [True])
            headers = {"MLP-API-KEY": platform.api_key}
            answer = client.post(predict_path(model), json={"name": "Ада"}, headers=headers)
            assert answer.status_code == 200, answer.text

    def test_a_wrong_token_is_refused_without_effect_on_others(
        self, platform: Platform, caller: httpx.Client, model: str, tmp_path: Path
    ) -> None:
        with external_instance(caller, model) as environment:
            token = environment["MLP_SERVICE_TOKEN"]
            wrong = {**environment, "MLP_SERVICE_TOKEN": token[:-1] + ("a" if token[-1] != "a" else "b")}
            with running(GREETING, wrong, tmp_path), platform.client(**{"MLP-API-KEY": platform.api_key}) as client:
                for _ in range(20):
                    answer = client.post("/api/mlpgateway/account/acme/model/greeting/predict", json={"name": "x"})
                    assert answer.status_code == 200
                assert connected(caller, model) == [False]
