"""Two accounts that own objects of every kind, and all kinds of users who might attack them."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
import httpx

from mlplace_contracts.enums import Feature
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_kit.money import NANO
from mlplace_runtime.auth.authenticator import API_KEY_HEADER
from mlplace_testing.waiting import eventually
from standalone.demo.bootstrap_client import BootstrapClient
from standalone.demo.content import DemoUser
from tests.security.platform import Platform

PASSWORD = "canary password 31d4"  # pragma: allowlist secret
SIGN_IN = "/api/accountsadmin/c/authorization/login"
_LEAST_FORMS: Final = {"choices": list[object](), "data": list[object](), "audio_base64": "AAA="}
CONFIGURATION = "provider: hosting_server\nlabels: {zone: a}\n"
TEMPLATE = {"name": "small", "type": "HOSTING_SERVER", "rawConfiguration": CONFIGURATION, "costPrice": 1}
FEATURES = (Feature.MODEL_ADMIN, Feature.PUBLIC_MODEL_ADMIN, Feature.TEST_FORM)


@dataclass(frozen=True)
class Person:
    """`headers` authenticate requests; `secret` is the session's."""

    login: str
    user_id: int
    account_id: int
    """The selected account."""
    session_id: int
    headers: dict[str, str]
    secret: str


@dataclass(frozen=True)
class Tenant:
    """The ids of objects of one account. Second objects of a kind exist to be deleted."""

    name: str
    account_id: int
    owner: Person
    member: Person
    """A member with the lowest role."""
    image_id: int
    data_image_id: int
    dataset_id: int
    model_id: int
    model_name: str
    second_model_id: int
    instance_id: int
    connection_token: str
    config_id: int
    example_id: int
    secret_id: int
    """Its first model refers to it."""
    credential_id: int
    group_id: int
    key_id: int
    key: dict[str, str]
    """A key with all permissions, as headers."""
    resource_group: str
    server_id: int
    template_id: int
    server_secret: str
    enrolment_token: str
    sent_invitation_id: int
    received_invitation_id: int
    task_id: int
    """A completed task."""
    reservation_id: str = "00000000-0000-4000-8000-000000000001"


@dataclass
class Recipe:
    platform: Platform
    secrets: list[str] = field(default_factory=list)
    """All secrets that were handed out."""

    async def person(self, login: str, *, account: str | None = None, superadmin: bool = False) -> Person:
        name = account or login.replace("@", "-").partition(".")[0]
        user = DemoUser(login, name, name, "", (), superadmin=superadmin)
        account_id = await BootstrapClient(self.platform.internal).ensure_user(user, password=PASSWORD)
        return await self.sign_in(login, account_id)

    async def sign_in(self, login: str, account_id: int) -> Person:
        async with self.platform.client() as client:
            answer = await client.post(SIGN_IN, json={"login": login, "password": PASSWORD})
            answer.raise_for_status()
            secret = client.cookies["SESSION_ID"]
            self.secrets.append(secret)
            sessions = (await client.get("/api/accountsadmin/c/sessions")).raise_for_status().json()
        current = next(session for session in sessions if session["current"])
        headers = {"Cookie": f"SESSION_ID={secret}; SELECTED_ACCOUNT={account_id}"}
        return Person(login, answer.json()["userId"], account_id, current["id"], headers, secret)

    async def tenant(self, name: str) -> Tenant:
        owner = await self.person(f"owner@{name}.example.org", account=name)
        account_id = owner.account_id
        await self.configure_account(account_id)
        await BootstrapClient(self.platform.internal).refill(account_id, nano=1000 * NANO, currency="RUBLE")
        async with self.platform.client(owner.headers) as client:
            return await self._filled(client, name, account_id, owner)

    async def configure_account(self, account_id: int, *, features: bool = True) -> None:
        given = FEATURES if features else ()
        await BootstrapClient(self.platform.internal).configure_account(
            account_id, features=given, calls_per_second=100_000
        )
        if not features:  # features that everybody gets at registration
            async with self.platform.database("mlpcore") as database:
                await database.execute("UPDATE account_feature SET enabled = false WHERE account_id = $1", account_id)

    async def _filled(self, client: httpx.AsyncClient, name: str, account_id: int, owner: Person) -> Tenant:
        core = f"/api/mlpcore/account/{account_id}"
        await eventually(lambda: _succeeds(client, core))
        made = {
            **await _contents(client, core, name),
            **await self._models(client, core, name, account_id),
            **await self._key_and_servers(client, core, name),
            **await self._people(client, name, owner),
        }
        first = f"{core}/model/{made['model_id']}"
        await _post(client, f"{first}/rolling-update")
        last = await eventually(
            lambda: _read(client, f"{first}/last-job"), until=lambda job: bool(job["done"]), seconds=60
        )
        return Tenant(name=name, account_id=account_id, owner=owner, task_id=int(str(last["jobId"])), **made)

    async def _models(self, client: httpx.AsyncClient, core: str, name: str, account_id: int) -> dict[str, Any]:
        image = {"name": f"{name}-image", "image": f"example.org/{name}:1", "accessMode": "private"}
        image_id = (await _post(client, f"{core}/image", image))["id"]["imageId"]
        models = [await _post(client, f"{core}/model", _model(f"{name}-{n}", account_id, image_id)) for n in (1, 2)]
        first, second = [model["id"]["modelId"] for model in models]
        secret = await _post(client, f"{core}/secret", {"name": "LLM", "value": f"canary-secret-{name}"})
        narrow = {"name": "OWN", "value": f"canary-own-secret-{name}", "modelId": first}
        await _post(client, f"{core}/secret", narrow)
        login = {"host": "example.org", "username": name, "password": f"canary-registry-{name}"}
        credential = await _post(client, f"{core}/registry-credential", login)
        await _post(client, f"{core}/model/{first}", {"modelName": f"{name}-1", **_settings(name)})
        await _post(client, f"{core}/model/{second}", {"modelName": f"{name}-2", **_cache(name)})
        external = await _post(client, f"{core}/model/{first}/external")
        config = await _post(client, f"{core}/model/{first}/predict-config", {"name": "c", "config": "{}"})
        saved = {"name": "saved", "request": "{}", "answer": "{}"}
        example = await _post(client, f"{core}/model/{first}/example", saved)
        group = await _post(client, f"{core}/model-group", {"name": f"{name}-group"})
        token = external["envVariables"][_TOKEN]
        self.secrets += [token, *(canary.format(name) for canary in _CANARIES)]
        return {
            "image_id": image_id, "model_id": first, "model_name": f"{name}-1", "second_model_id": second,
            "instance_id": external["id"]["instanceId"], "connection_token": token, "secret_id": secret["secretId"],
            "credential_id": credential["credentialId"], "config_id": config["id"]["configId"],
            "example_id": example["id"]["exampleId"], "group_id": group["id"]["groupId"],
        }  # fmt: skip

    async def _key_and_servers(self, client: httpx.AsyncClient, core: str, name: str) -> dict[str, Any]:
        key = await _post(client, f"{core}/token", {"name": "all", "permissions": ["predict", "read", "write"]})
        await _post(client, f"{core}/resource-groups", _resource_group(name))
        servers = f"{core}/resource-groups/{name}-servers/server"
        server, spare = [
            await _post(client, servers, {"serverName": n, "rawConfiguration": CONFIGURATION}) for n in ("s1", "s2")
        ]
        template = await _post(client, f"{core}/server/template", TEMPLATE)
        enrolled = await _post(client, "/api/mlpcore/hosting-server/enroll", {"token": _token_of(server)})
        self.secrets += [key["token"], enrolled["secret"], _token_of(spare)]
        return {
            "key_id": _number_of(key), "key": {API_KEY_HEADER: key["token"]}, "resource_group": f"{name}-servers",
            "server_id": server["id"], "template_id": template["id"], "server_secret": enrolled["secret"], "enrolment_token": _token_of(spare),
        }  # fmt: skip

    async def _people(self, client: httpx.AsyncClient, name: str, owner: Person) -> dict[str, Any]:
        guest, host = await self.person(f"guest@{name}.example.org"), await self.person(f"host@{name}.example.org")
        sent = {"email": f"nobody@{name}.example.org", "roles": ["MLP_USER"]}
        invitation = await _post(client, f"/api/accountsadmin/account/{owner.account_id}/invitation", sent)
        await self.join(guest, owner.account_id, owner, "MLP_USER")
        return {
            "member": await self.sign_in(guest.login, owner.account_id), "sent_invitation_id": invitation["id"],
            "received_invitation_id": await self.invite(host, owner.login),
        }  # fmt: skip

    async def invite(self, host: Person, login: str) -> int:
        """Invite a person into the account that the host has selected. Returns the invitation's id."""
        async with self.platform.client(host.headers) as client:
            body = {"email": login, "roles": ["MLP_USER"]}
            made = await client.post(f"/api/accountsadmin/account/{host.account_id}/invitation", json=body)
            return int(made.raise_for_status().json()["id"])

    async def join(self, guest: Person, account_id: int, owner: Person, role: str) -> None:
        body = {"email": guest.login, "roles": [role]}
        async with self.platform.client(owner.headers) as client:
            made = await client.post(f"/api/accountsadmin/account/{account_id}/invitation", json=body)
        number = made.raise_for_status().json()["id"]
        async with self.platform.client(guest.headers) as client:
            (await client.post(f"/api/accountsadmin/c/account-invitation/{number}/accept")).raise_for_status()

    async def key(self, tenant: Tenant, *permissions: str, **restrictions: object) -> tuple[int, dict[str, str]]:
        """Returns its id and the headers that authenticate with it."""
        body = {"name": "k", "permissions": permissions or ("predict", "read", "write"), **restrictions}
        async with self.platform.client(tenant.owner.headers) as client:
            made = await client.post(f"/api/mlpcore/account/{tenant.account_id}/token", json=body)
        key = made.raise_for_status().json()
        self.secrets.append(key["token"])
        return _number_of(key), {API_KEY_HEADER: key["token"]}


_TOKEN = "MLP_SERVICE_TOKEN"
_CANARIES = (
    "canary-registry-{}", "canary-secret-{}", "canary-own-secret-{}", "canary-env-{}", "canary-dsn-{}",
    "canary-config-{}", "canary-cache-{}",
)  # fmt: skip
"""One value for each place in which an account or a model's settings may hold a secret."""


async def _post(client: httpx.AsyncClient, path: str, body: object = None) -> Any:
    answer = await client.post(path, json=body)
    assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
    return answer.json() if answer.content else None


async def _contents(client: httpx.AsyncClient, core: str, name: str) -> dict[str, Any]:
    data = {"name": f"{name}-data", "image": f"example.org/{name}-data:1", "sourcePath": "/data"}
    data_image = await _post(client, f"{core}/data-image", data)
    dataset = {"name": f"{name}-dataset", "dataType": "plain/texts", "content": f"a text of {name}"}
    stored = await _post(client, f"{core}/dataset", dataset)
    kept = await client.put(f"{core}/s3/content", params={"key": "kept"}, content=f"an object of {name}")
    kept.raise_for_status()
    return {"data_image_id": data_image["id"]["imageId"], "dataset_id": stored["id"]["datasetId"]}


def _settings(name: str) -> dict[str, object]:
    env = {
        "API_KEY": f"canary-env-{name}",
        "DATABASE": f"postgresql://u:canary-dsn-{name}@db.example/x",  # pragma: allowlist secret
    }
    return {
        "env": json.dumps(env),
        "config": json.dumps({"llm": {"password": f"canary-config-{name}"}}),
        "secretEnv": {"LLM_API_KEY": "LLM", "OWN_API_KEY": "OWN"},
    }


def _cache(name: str) -> dict[str, object]:
    """For a model that is never called: nothing listens at the address."""
    address = f"mongodb://u:canary-cache-{name}@cache.example/x"  # pragma: allowlist secret
    return {"caching": {"enabled": True, "mongoUri": address, "collectionName": "c", "recordsLimit": 1}}


def _resource_group(name: str) -> dict[str, str | bool]:
    kind = {"name": f"{name}-servers", "resourceGroupType": "HOSTING_SERVER", "access": "PRIVATE"}
    return kind | {"isDefault": False, "enabledEviction": False, "enabledAutoScaling": False}


def _model(name: str, account_id: int, image_id: int) -> dict[str, object]:
    """Its calls do not wait for an instance, since the tests are about authorisation."""
    image = {"imageAccountId": account_id, "imageId": image_id}
    at_once = {"rejectRequestsIfInactive": True}
    return {"modelName": name, **image, "taskType": "custom", "hostingType": "EXTERNAL", **at_once}


def _token_of(server: dict[str, object]) -> str:
    return str(server["enrolmentToken"])


def _number_of(key: dict[str, object]) -> int:
    return int(str(key["token"]).split(".")[1])


async def _succeeds(client: httpx.AsyncClient, path: str) -> bool:
    return (await client.get(path)).is_success


async def _read(client: httpx.AsyncClient, path: str) -> dict[str, object]:
    found: dict[str, object] = (await client.get(path)).raise_for_status().json()
    return found


@asynccontextmanager
async def serving(platform: Platform, tenant: Tenant) -> AsyncGenerator[None]:
    """An instance of the tenant's first model that echoes requests, with what the clients of adapters need."""
    async with grpc.aio.insecure_channel(platform.gate_address) as channel:
        stream = GateStub(channel).processAsync()  # type: ignore[call-arg]  # messages are written
        start = pb.StartServingProto(connectionToken=tenant.connection_token)
        await stream.write(pb.ServiceToGateProto(startServing=start))
        assert await stream.read() is not grpc.aio.EOF
        echo = asyncio.create_task(_echo(stream))
        try:
            yield
        finally:
            echo.cancel()
            stream.cancel()


def _answer_to(asked: pb.PayloadProto) -> pb.PayloadProto:
    """Returns the request; an object gets the least form of an answer at each adapter."""
    request: object = json.loads(asked.json) if asked.json else None
    return pb.PayloadProto(json=json.dumps(request | _LEAST_FORMS)) if isinstance(request, dict) else asked


async def _echo(stream: "grpc.aio.StreamStreamCall[pb.ServiceToGateProto, pb.GateToServiceProto]") -> None:
    while isinstance(message := await stream.read(), pb.GateToServiceProto):
        if message.HasField("predict"):
            answer = pb.PredictResponseProto(data=_answer_to(message.predict.data))
            await stream.write(pb.ServiceToGateProto(requestId=message.requestId, predict=answer))
        elif message.HasField("ext"):
            said = pb.ExtendedResponseProto(data=pb.PayloadProto(json="{}"))
            await stream.write(pb.ServiceToGateProto(requestId=message.requestId, ext=said))
        elif message.HasField("heartBeat"):
            await stream.write(pb.ServiceToGateProto(heartBeat=message.heartBeat))
