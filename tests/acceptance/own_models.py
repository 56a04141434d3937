"""Models of the caller, with instances that the tests run beside the platform."""

import os
import subprocess
import sys
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.acceptance.conftest import Platform

ROOT = Path(__file__).parents[2]
GREETING = ROOT / "examples" / "greeting" / "main.py"


def new_model(platform: Platform, caller: httpx.Client, *, calls_wait: bool = False) -> str:
    """Returns the path of a new model of the caller. Calls are free; without an instance they are refused, or wait."""
    base = f"/api/mlpcore/account/{platform.account_of(caller)}"
    name = f"mine-{uuid.uuid4().hex[:8]}"
    image = caller.post(f"{base}/image", json={"name": name, "image": f"example.org/{name}:1", "accessMode": "private"})
    identity = image.raise_for_status().json()["id"]
    body = {
        "modelName": name, "imageAccountId": identity["accountId"], "imageId": identity["imageId"],
        "taskType": "custom", "hostingType": "EXTERNAL", "rejectRequestsIfInactive": not calls_wait,
    }  # fmt: skip
    caller.post(f"{base}/model", json=body).raise_for_status()
    return f"{base}/model/{name}"


@contextmanager
def external_instance(caller: httpx.Client, model: str) -> Generator[dict[str, str]]:
    """Yields the environment of an instance that the owner runs. An account may have few such instances."""
    made = caller.post(f"{model}/external").raise_for_status().json()
    yield made["envVariables"]
    caller.delete(f"{model}/external/{made['id']['instanceId']}").raise_for_status()


@contextmanager
def running(program: Path, environment: dict[str, str], folder: Path) -> Generator[subprocess.Popen[bytes]]:
    """Runs an instance until the block ends. Its probes are files of the folder."""
    probes = {name: str(folder / name.lower()) for name in ("MLP_STARTUP_PROBE_FILE", "MLP_LIVENESS_PROBE_FILE")}
    process = subprocess.Popen(
        [sys.executable, str(program)], env={**os.environ, **environment, **probes}, stdout=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def connected(caller: httpx.Client, model: str) -> list[bool]:
    """Returns whether each instance that the owner runs is connected."""
    return [row["connected"] for row in caller.get(f"{model}/external").raise_for_status().json()]


def predict_path(model: str) -> str:
    return model.replace("mlpcore", "mlpgateway") + "/predict"
