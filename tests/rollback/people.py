"""A publisher with a priced model, and a customer who pays for calls of it."""

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from tests.acceptance.waiting import eventually
from tests.rollback.previous_release import ROOT
from tests.rollback.release import SECRET, Release

PRICE = 0.25
_PASSWORD = "correct horse battery"  # pragma: allowlist secret
_CURRENCY = "RUBLE"


@dataclass(frozen=True, slots=True)
class Person:
    """A signed-in user with an account. Cookies belong to the address that all services share."""

    release: Release
    client: httpx.Client

    @property
    def account(self) -> int:
        return int(self.get("mlpcore", "account").raise_for_status().json()["accountId"])

    def get(self, service: str, path: str, **parameters: str) -> httpx.Response:
        return self.client.get(f"{self.release.url(service)}/api/{service}/{path}", params=parameters)

    def post(self, service: str, path: str, body: object = None) -> httpx.Response:
        return self.client.post(f"{self.release.url(service)}/api/{service}/{path}", json=body).raise_for_status()

    def key(self, name: str) -> str:
        """A new API key."""
        return str(self.post("mlpcore", f"account/{self.account}/token", {"name": name}).json()["token"])

    def money(self) -> tuple[float, float]:
        """The balance, and the income in it."""
        short = self.get("mlpbilling", f"account/{self.account}/balance/short").raise_for_status().json()
        return float(short["overallBalanceCurrency"]), float(short["incomeBalanceCurrency"])


def register(release: Release, client: httpx.Client, name: str) -> Person:
    """Returns when all services know the account."""
    body = {"login": f"{name}@example.org", "password": _PASSWORD, "accountName": name}
    person = Person(release, client)
    person.post("accountsadmin", "c/authorization/register", body)
    eventually(lambda: person.get("mlpcore", "account").is_success)
    path = f"account/{person.account}/balance/short"
    eventually(lambda: person.get("mlpbilling", path).is_success)
    return person


def sign_in(release: Release, client: httpx.Client, name: str) -> Person:
    person = Person(release, client)
    person.post("accountsadmin", "c/authorization/login", {"login": f"{name}@example.org", "password": _PASSWORD})
    return person


def publish(owner: Person, model: str) -> dict[str, str]:
    """A public model with a price for each call. Returns the environment of an instance of it."""
    base = f"account/{owner.account}"
    wanted = {"name": model, "image": f"example.org/{model}:1", "accessMode": "private"}
    image = owner.post("mlpcore", f"{base}/image", wanted).json()["id"]
    body = {
        "modelName": model, "imageAccountId": image["accountId"], "imageId": image["imageId"],
        "taskType": "custom", "hostingType": "EXTERNAL",
    }  # fmt: skip
    owner.post("mlpcore", f"{base}/model", body)
    price = {
        "isBillingEnabled": True, "billingUnit": "calls", "billingUnitPriceInCurrency": PRICE, "freeUnitQuota": 0,
    }  # fmt: skip
    owner.post("mlpcore", f"{base}/model/{model}/billing", price)
    publicity = {"isPublic": True, "hidden": False, "publicTestingAllowed": False}
    owner.post("mlpcore", f"{base}/model/{model}/public-settings", publicity)
    return owner.post("mlpcore", f"{base}/model/{model}/external").json()["envVariables"]


def refill(customer: Person, units: int) -> None:
    before, _ = customer.money()
    body = {
        "accountId": customer.account, "amountNano": units * 10**9, "currency": _CURRENCY, "idempotencyKey": "refill-1",
    }  # fmt: skip
    url = f"{customer.release.url('mlpbilling')}/internal/mlpbilling/bootstrap/refill"
    customer.client.post(url, json=body, headers={INTERNAL_HEADER: SECRET}).raise_for_status()
    eventually(lambda: customer.money()[0] == before + units)


def call(release: Release, key: str, *, owner: str, model: str) -> httpx.Response:
    """The answer of the model, as soon as an instance is connected and the gate knows what the call needs."""
    url = f"{release.url('mlpgateway')}/api/mlpgateway/account/{owner}/model/{model}/predict"

    def ask() -> httpx.Response:
        return httpx.post(url, json={"name": "Ann"}, headers={"MLP-API-KEY": key}, timeout=60)

    return eventually(ask, until=lambda answer: answer.is_success)


def ledger_is_sound(release: Release, client: httpx.Client) -> bool:
    url = f"{release.url('mlpbilling')}/internal/mlpbilling/ledger/verification"
    return bool(client.get(url, headers={INTERNAL_HEADER: SECRET}).raise_for_status().json()["sound"])


@contextmanager
def instance(environment: dict[str, str], folder: Path) -> Generator[None]:
    """A model of this release, which serves while one release replaces another."""
    probes = {name: str(folder / name.lower()) for name in ("MLP_STARTUP_PROBE_FILE", "MLP_LIVENESS_PROBE_FILE")}
    program = [sys.executable, str(ROOT / "examples/greeting/main.py")]
    with (folder / "instance.log").open("wb") as log:
        process = subprocess.Popen(program, env={**os.environ, **environment, **probes}, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def call_and_pay(owner: Person, customer: Person, keys: Sequence[str]) -> None:
    """Each key gets an answer of the model; the customer pays and the owner earns the price of each."""
    (balance, _), (_, income) = customer.money(), owner.money()
    for key in keys:
        assert "Ann" in call(owner.release, key, owner="ann", model="greeting").text
    price = len(keys) * PRICE
    eventually(
        lambda: (customer.money()[0], owner.money()[1]), until=lambda now: now == (balance - price, income + price)
    )
    assert ledger_is_sound(owner.release, owner.client)
