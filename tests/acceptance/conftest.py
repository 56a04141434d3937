"""A running platform with the demo, as `make run` starts it, and clients of its users."""

import json
import os
import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.acceptance.waiting import eventually

PREDICT = "/api/mlpgateway/account/acme/model/{}/predict"


@dataclass(frozen=True)
class Platform:
    checkout: Path
    url: str
    api_key: str
    passwords: dict[str, str]
    """Passwords of the demo's users, by login."""

    @property
    def gate(self) -> str:
        """host:port of gRPC at the edge, where every shape listens ten above the port of HTTP."""
        return f"localhost:{(httpx.URL(self.url).port or 80) + 10}"

    def client(self, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=headers, timeout=60)

    @contextmanager
    def signed_in(self, login: str) -> Generator[httpx.Client]:
        credentials = {"login": login, "password": self.passwords[login]}
        with self.client() as client:
            answer = client.post("/api/accountsadmin/c/authorization/login", json=credentials)
            assert answer.status_code == 200, answer.text
            yield client

    def account_of(self, client: httpx.Client) -> int:
        return int(client.get("/api/mlpcore/account").raise_for_status().json()["accountId"])


@dataclass(frozen=True)
class Payer:
    """Somebody whose account nobody else uses: what it pays is known exactly, whatever other tests do meanwhile."""

    client: httpx.Client
    account_id: int
    key: str

    def predict(self, platform: Platform, model: str, body: object) -> httpx.Response:
        with platform.client(**{"MLP-API-KEY": self.key}) as client:
            return client.post(PREDICT.format(model), json=body)


@pytest.fixture(scope="session")
def platform() -> Platform:
    checkout = Path(os.environ["MLP_ACCEPTANCE_CHECKOUT"])
    state = json.loads((checkout / ".data" / "demo.json").read_text())
    return Platform(checkout, os.environ["MLP_ACCEPTANCE_URL"], state["api_key"], state["passwords"])


@pytest.fixture
def caller(platform: Platform) -> Generator[httpx.Client]:
    with platform.signed_in("demo@example.org") as client:
        yield client


@pytest.fixture
def owner(platform: Platform) -> Generator[httpx.Client]:
    with platform.signed_in("acme@example.org") as client:
        yield client


@pytest.fixture
def admin(platform: Platform) -> Generator[httpx.Client]:
    with platform.signed_in("admin@example.org") as client:
        yield client


@pytest.fixture
def payer(platform: Platform) -> Iterator[Payer]:
    """Has no money."""
    body = {"login": f"payer-{uuid.uuid4().hex[:8]}@example.org", "password": f"pass-{uuid.uuid4()}"}
    with platform.client() as client:
        client.post("/api/accountsadmin/c/authorization/register", json=body).raise_for_status()
        account = eventually(lambda: client.get("/api/mlpcore/account"), until=lambda a: a.status_code == 200)
        account_id = account.json()["accountId"]
        made = client.post(f"/api/mlpcore/account/{account_id}/token", json={"name": "k"}).raise_for_status()
        yield Payer(client, account_id, made.json()["token"])
