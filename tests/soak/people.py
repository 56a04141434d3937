"""The demo's accounts, a model of the owner, and the key that calls it."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from standalone.demo.content import CALLER, OWNER, DemoUser


@dataclass(frozen=True, slots=True)
class Stage:
    url: str
    gate: str
    caller_key: str
    owner_id: int
    caller_id: int
    token: str
    passwords: dict[str, str]
    """Passwords of the demo's users, by login."""
    owner: DemoUser = OWNER
    caller: DemoUser = CALLER

    @property
    def path(self) -> str:
        return f"/api/mlpgateway/account/{self.owner.account}/model/soak"

    @asynccontextmanager
    async def signed_in(self, user: DemoUser) -> AsyncGenerator[httpx.AsyncClient]:
        async with signed_in(self.url, user, self.passwords) as client:
            yield client


@asynccontextmanager
async def signed_in(url: str, user: DemoUser, passwords: dict[str, str]) -> AsyncGenerator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        credentials = {"login": user.login, "password": passwords[user.login]}
        (await client.post("/api/accountsadmin/c/authorization/login", json=credentials)).raise_for_status()
        yield client


async def set_the_stage(url: str, gate: str, data: Path) -> Stage:
    """The model has a price, so that calls hold money, and it is low, so that the money lasts."""
    state = json.loads((data / "demo.json").read_text())
    key, passwords = state["api_key"], state["passwords"]
    async with signed_in(url, CALLER, passwords) as client:
        caller_id = int((await client.get("/api/mlpcore/account")).raise_for_status().json()["accountId"])
    async with signed_in(url, OWNER, passwords) as client:
        owner_id = int((await client.get("/api/mlpcore/account")).raise_for_status().json()["accountId"])
        base = f"/api/mlpcore/account/{owner_id}"
        image = await _post(
            client, f"{base}/image", {"name": "soak", "image": "example.org/soak:1", "accessMode": "private"}
        )
        body = {
            "modelName": "soak", "imageAccountId": owner_id, "imageId": image["id"]["imageId"], "taskType": "custom",
            "hostingType": "EXTERNAL",
        }  # fmt: skip
        await _post(client, f"{base}/model", body)
        price = {
            "isBillingEnabled": True,
            "billingUnit": "calls",
            "billingUnitPriceInCurrency": 0.001,
            "freeUnitQuota": 5,
        }
        await _post(client, f"{base}/model/soak/billing", price)
        public = {"isPublic": True, "hidden": False, "publicTestingAllowed": True}
        await _post(client, f"{base}/model/soak/public-settings", public)
        instance = await _post(client, f"{base}/model/soak/external", None)
    token = str(instance["envVariables"]["MLP_SERVICE_TOKEN"])
    return Stage(
        url=url, gate=gate, caller_key=key, owner_id=owner_id, caller_id=caller_id, token=token, passwords=passwords
    )


async def _post(client: httpx.AsyncClient, path: str, body: object) -> dict[str, dict[str, object]]:
    answer = await client.post(path, json=body)
    assert answer.is_success, f"{path} answered {answer.status_code}: {answer.text}"
    return answer.json() if answer.content else {}
