"""Who takes part: the demo's accounts, a service of the owner's, and the key that calls it."""

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
    owner: DemoUser = OWNER
    caller: DemoUser = CALLER

    @property
    def path(self) -> str:
        return f"/api/mlpgateway/account/{self.owner.account}/model/soak"

    @asynccontextmanager
    async def signed_in(self, user: DemoUser) -> AsyncGenerator[httpx.AsyncClient]:
        async with signed_in(self.url, user) as client:
            yield client


@asynccontextmanager
async def signed_in(url: str, user: DemoUser) -> AsyncGenerator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        credentials = {"login": user.login, "password": user.password}
        (await client.post("/api/accountsadmin/c/authorization/login", json=credentials)).raise_for_status()
        yield client


async def set_the_stage(url: str, gate: str, data: Path) -> Stage:
    """The service is priced, so that calls hold money, and cheap, so that it lasts."""
    key = json.loads((data / "demo.json").read_text())["api_key"]
    async with signed_in(url, CALLER) as client:
        caller_id = int((await client.get("/api/mlpcore/account")).raise_for_status().json()["accountId"])
    async with signed_in(url, OWNER) as client:
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
    return Stage(url=url, gate=gate, caller_key=key, owner_id=owner_id, caller_id=caller_id, token=token)


async def _post(client: httpx.AsyncClient, path: str, body: object) -> dict[str, dict[str, object]]:
    answer = await client.post(path, json=body)
    assert answer.is_success, f"{path} answered {answer.status_code}: {answer.text}"
    return answer.json() if answer.content else {}
