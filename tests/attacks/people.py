"""The demo's accounts, a model for each, and keys that call them."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from standalone.demo.content import ADMIN, CALLER, OWNER, DemoUser


@dataclass(frozen=True, slots=True)
class Tenant:
    """An account with a key with all permissions, and a model; `token` connects an instance of the model."""

    user: DemoUser
    account_id: int
    key: str
    model: str
    token: str

    @property
    def path(self) -> str:
        """Path of calls of the model."""
        return f"/api/mlpgateway/account/{self.account_id}/model/{self.model}"

    @property
    def core(self) -> str:
        return f"/api/mlpcore/account/{self.account_id}"


class People:
    def __init__(self, url: str, state_file: Path) -> None:
        """`state_file` is the demo's state file."""
        self._url = url
        self._state_file = state_file

    async def bystander(self) -> Tenant:
        return await self.service(CALLER, "steady")

    async def attacker(self) -> Tenant:
        """Has a high limit on calls per second, so that another limit must stop the attack."""
        tenant = await self.service(OWNER, "hostile")
        async with self.signed_in(ADMIN) as admin:
            account = f"/api/mlpcore/admin/account/{tenant.account_id}"
            limits = (await admin.get(account)).raise_for_status().json()["limits"]
            await post(admin, f"{account}/limits", {**limits, "predictPerSec": 100_000})
        return tenant

    @asynccontextmanager
    async def signed_in(self, user: DemoUser) -> AsyncGenerator[httpx.AsyncClient]:
        async with httpx.AsyncClient(base_url=self._url, timeout=60) as client:
            credentials = {"login": user.login, "password": self.password(user)}
            await post(client, "/api/accountsadmin/c/authorization/login", credentials)
            yield client

    def password(self, user: DemoUser) -> str:
        """The password that the platform printed at its first start."""
        kept = json.loads(self._state_file.read_text())
        return str(kept["passwords"][user.login])

    async def service(self, user: DemoUser, model: str, **about: object) -> Tenant:
        """Create a model with an external connection. `about` are further settings."""
        async with self.signed_in(user) as client:
            account_id = int((await client.get("/api/mlpcore/account")).raise_for_status().json()["accountId"])
            core = f"/api/mlpcore/account/{account_id}"
            image = await post(client, f"{core}/image", {"name": model, "image": f"{model}:1", "accessMode": "private"})
            body = {
                "modelName": model, "imageAccountId": account_id, "imageId": image["id"]["imageId"],
                "taskType": "custom", "hostingType": "EXTERNAL", "rejectRequestsIfInactive": True, **about,
            }  # fmt: skip
            await post(client, f"{core}/model", body)
            external = await post(client, f"{core}/model/{model}/external", None)
            key = await post(client, f"{core}/token", {"name": model, "permissions": ["predict", "read", "write"]})
        token = str(external["envVariables"]["MLP_SERVICE_TOKEN"])
        return Tenant(user, account_id, str(key["token"]), model, token)


async def post(client: httpx.AsyncClient, path: str, body: object) -> dict[str, dict[str, object]]:
    answer = await client.post(path, json=body)
    assert answer.is_success, f"{path} answered {answer.status_code}: {answer.text}"
    return answer.json() if answer.content else {}
