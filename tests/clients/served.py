"""The models of `models.py` as instances of a running platform, and keys that call them."""

import os
import subprocess
import sys
import uuid
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from standalone.demo.content import CALLER, OWNER
from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.clients.models import TASK_TYPES

ROOT = Path(__file__).parents[2]
_CORE = f"/api/mlpcore/account/{OWNER.account}"
_PUBLIC = {
    "isPublic": True, "hidden": False, "publicTestingAllowed": False, "visitorCallsPerDay": 0, "featured": False,
    "featuredListOrder": None,
}  # fmt: skip
ADAPTERS = "/api/adapters/openai/v1"
CALLS_OF_LIMITED_KEY = 60
"""A minute: the bucket of a used up key has one more call after a second."""


@dataclass(frozen=True, slots=True)
class Served:
    """`models` are names for clients, by the names in `models.py`."""

    url: str
    key: str
    limited_key: str
    models: Mapping[str, str]

    @property
    def base_url(self) -> str:
        return self.url + ADAPTERS

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.base_url, headers=self.headers, timeout=60)


@contextmanager
def serving(platform: Platform, folder: Path) -> Generator[Served]:
    """The models are public ones of one of the demo's accounts; the keys are of another."""
    run = uuid.uuid4().hex[:6]
    names = {kind: f"{kind}-{run}" for kind in TASK_TYPES}
    with ExitStack() as stack:
        owner = stack.enter_context(platform.signed_in(OWNER.login))
        caller = stack.enter_context(platform.signed_in(CALLER.login))
        for kind, name in names.items():
            _create(owner, name, TASK_TYPES[kind])
            stack.callback(owner.delete, f"{_CORE}/model/{name}")
            external = owner.post(f"{_CORE}/model/{name}/external").raise_for_status().json()
            stack.enter_context(_process(kind, external["envVariables"], folder))
        for name in names.values():
            eventually(lambda name=name: _is_connected(owner, name), seconds=60)
        account = f"/api/mlpcore/account/{CALLER.account}"
        served = Served(
            platform.url,
            _key(caller, account, f"clients-{run}"),
            _key(caller, account, f"limited-{run}", requestLimit=CALLS_OF_LIMITED_KEY, requestLimitPeriod="MINUTE"),
            {kind: f"{OWNER.account}/{name}" for kind, name in names.items()},
        )
        with served.client() as client:
            eventually(lambda: _chat_answers(client, served.models["chat"]), seconds=60)
        yield served


def _create(owner: httpx.Client, name: str, task_type: str) -> None:
    image = owner.post(f"{_CORE}/image", json={"name": name, "image": f"example.org/{name}:1", "accessMode": "public"})
    identity = image.raise_for_status().json()["id"]
    body = {
        "modelName": name, "imageAccountId": identity["accountId"], "imageId": identity["imageId"],
        "taskType": task_type, "hostingType": "EXTERNAL", "rejectRequestsIfInactive": True,
    }  # fmt: skip
    owner.post(f"{_CORE}/model", json=body).raise_for_status()
    owner.post(f"{_CORE}/model/{name}/public-settings", json=_PUBLIC).raise_for_status()


@contextmanager
def _process(kind: str, variables: Mapping[str, str], folder: Path) -> Generator[None]:
    probes = {name: str(folder / f"{kind}-{name}") for name in ("MLP_STARTUP_PROBE_FILE", "MLP_LIVENESS_PROBE_FILE")}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.clients.models", kind],
        cwd=ROOT, env={**os.environ, **variables, **probes}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _is_connected(owner: httpx.Client, name: str) -> bool:
    rows = owner.get(f"{_CORE}/model/{name}/external").raise_for_status().json()
    return [row["connected"] for row in rows] == [True]


def _key(caller: httpx.Client, account: str, name: str, **limits: object) -> str:
    body = {"name": name, "permissions": ["predict", "read"], **limits}
    return str(caller.post(f"{account}/token", json=body).raise_for_status().json()["token"])


def _chat_answers(client: httpx.Client, model: str) -> bool:
    """Whether ten calls in a row reach the model: each gate learns of model and key by events."""
    body = {"model": model, "messages": [{"role": "user", "content": "hello"}]}
    return all(client.post("/chat/completions", json=body).status_code == 200 for _ in range(10))
