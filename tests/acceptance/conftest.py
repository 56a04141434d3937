"""A running platform with the demo, as `make run` starts it, and clients of its users."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest


@dataclass(frozen=True)
class Platform:
    checkout: Path
    url: str
    api_key: str
    passwords: dict[str, str]
    """Passwords of the demo's users, by login."""

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
