"""Creates the demo through the API, once. Steps that were done before are skipped."""

import asyncio
import itertools
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import httpx
import structlog

from mlplace_kit.money import NANO
from mlplace_runtime.auth.authenticator import API_KEY_HEADER
from standalone.demo.bootstrap_client import BootstrapClient
from standalone.demo.bucket_files import BUCKET_FILES
from standalone.demo.content import ADMIN, CALLER, DEMO_USERS, FORMER_PASSWORD, OWNER, SERVICES, DemoService, DemoUser
from standalone.demo.data_images import DATA_IMAGES, DemoDataImage
from standalone.demo.datasets import DATASETS, DemoDataset
from standalone.demo.russian import Translate, unchanged
from standalone.demo.server_templates import SERVER_TEMPLATES, DemoServerTemplate
from standalone.demo.state import DemoFile, DemoState, new_password
from standalone.problems import DemoPasswordsLostError

log = structlog.get_logger(__name__)

_CENT = Decimal("0.01")
_PLATFORM = "/api/mlpcore/account/1"
"""The platform's own account, whose public templates everybody uses."""
_POLL_SECONDS = 0.1
_SAMPLE_CALLS = 12
_SAMPLE_PAUSE_SECONDS = 0.2
_NOT_THE_PASSWORD = frozenset({401, 403})
_TO_COME = frozenset({"STARTING", ""})


def _password(state: DemoState, user: DemoUser) -> str:
    return (state.passwords or {}).get(user.login) or new_password()


@dataclass(frozen=True, slots=True)
class _Session:
    """The client and the account of a signed-in user."""

    client: httpx.AsyncClient
    account_id: int

    async def post(self, path: str, body: object, *, accept: frozenset[int] = frozenset({200})) -> httpx.Response:
        answer = await self.client.post(path, json=body)
        if answer.status_code not in accept:
            raise RuntimeError(f"{path} answered {answer.status_code}: {answer.text[:500]}")
        return answer


class Demo:
    """`address` is the platform's address for users. `translate` gives its texts in the demo's language."""

    def __init__(
        self,
        *,
        address: str,
        bootstrap_client: BootstrapClient,
        state_file: Path,
        currency: str,
        services: Sequence[DemoService] = SERVICES,
        translate: Translate = unchanged,
    ) -> None:
        self._services = services
        self._address = address
        self._bootstrap_client = bootstrap_client
        self._file = DemoFile(state_file)
        self._currency = currency
        self._translate = translate

    def state(self) -> DemoState | None:
        """None until the demo is complete."""
        state = self._file.read()
        return state if state and state.api_key else None

    async def retire_known_passwords(self) -> None:
        """Replace the well-known password that former versions gave to all demo users.

        Users who have chosen another password keep it.
        """
        state = self._file.read()
        if state and state.retired:
            return
        wanted = state.passwords if state and state.passwords else DemoState.begin().passwords or {}
        if state:
            self._file.write(state.model_copy(update={"passwords": wanted}))  # before a user gets one of them
        held = {login: password for login, password in wanted.items() if await self._give(login, password)}
        if state and state.api_key:
            self._file.write(state.model_copy(update={"passwords": held, "retired": True}))
        elif held:
            self._file.write(DemoState(passwords=wanted))

    async def _give(self, login: str, password: str) -> bool:
        """Set the password if the user has the former one. Returns whether the user has `password` now."""
        replace = self._bootstrap_client.replace_password
        return await replace(login, known=FORMER_PASSWORD, password=password) or await replace(
            login, known=password, password=password
        )

    async def ensure(self) -> DemoState:
        known = self._file.read()
        if known and known.api_key:
            return known
        state = known or self._file.write(DemoState.begin())  # before a user gets one of them
        for user in DEMO_USERS:
            await self._ensure_user(user, _password(state, user))
        async with self._address_client() as client:
            owner = await self._sign_in(client, OWNER, state)
            for service in self._services:
                await self._ensure_service(owner, service)
            for dataset in DATASETS:
                await self._ensure_dataset(owner, dataset)
            for image in DATA_IMAGES:
                await self._ensure_data_image(owner, image)
            await self._ensure_bucket_files(owner)
        async with self._address_client() as client:
            admin = await self._sign_in(client, ADMIN, state)
            for template in SERVER_TEMPLATES:
                await self._ensure_server_template(admin, template)
        async with self._address_client() as client:
            key = await self._make_key(await self._sign_in(client, CALLER, state))
        return self._file.write(state.model_copy(update={"api_key": key, "retired": True}))

    def note_passwords_shown(self, state: DemoState) -> None:
        """Note that a person has seen the passwords."""
        self._file.write((self._file.read() or state).model_copy(update={"told": True}))

    async def wait_until_running(self, state: DemoState) -> None:
        """Wait until each demo model that runs from the start has a connected instance.

        Does not wait for a model that its owner has stopped or removed, nor for one whose instances have all failed.
        """
        async with self._address_client() as client:
            client.headers[API_KEY_HEADER] = state.api_key or ""
            for service in self._services:
                if service.running:
                    await self._wait_until_running(client, service)

    async def call_as_owner(self, state: DemoState) -> None:
        """Sends the samples, once in the life of the demo. The owner's calls of own models are free.

        Without them a new catalogue would show no latency and no success rate. What fails is left out. Half of the
        calls that the owner may make in a second remain for whoever signs in as the owner meanwhile.
        """
        state = self._file.read() or state
        if state.called:
            return
        self._file.write(state.model_copy(update={"called": True}))
        async with self._address_client() as client:
            try:
                owner = await self._sign_in(client, OWNER, state)
                for service in self._services:
                    await self._call(owner, service)
            except (httpx.HTTPError, DemoPasswordsLostError) as error:
                log.warning("demo_not_called", error=repr(error))

    @staticmethod
    async def _call(owner: _Session, service: DemoService) -> None:
        path = f"/api/mlpgateway/account/{OWNER.account}/model/{service.name}/predict"
        for _ in range(_SAMPLE_CALLS if service.sample else 0):
            await owner.client.post(path, content=service.sample, headers={"Content-Type": "application/json"})
            await asyncio.sleep(_SAMPLE_PAUSE_SECONDS)

    async def _wait_until_running(self, client: httpx.AsyncClient, service: DemoService) -> None:
        for _ in itertools.count():
            if await self._state_of(client, service) not in _TO_COME:
                return
            await asyncio.sleep(_POLL_SECONDS)

    @staticmethod
    async def _state_of(client: httpx.AsyncClient, service: DemoService) -> str | None:
        """None if the model does not exist any more; empty if the platform cannot answer."""
        answer = await client.get(f"/api/mlpcore/account/{OWNER.account}/model/{service.name}")
        if answer.is_server_error:
            return ""
        return str(answer.json()["state"]) if answer.is_success else None

    def _address_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self._address, timeout=30)

    async def _ensure_user(self, user: DemoUser, password: str) -> None:
        shown = replace(user, display_name=self._translate(user.display_name))
        account_id = await self._bootstrap_client.ensure_user(shown, password=password)
        await self._bootstrap_client.configure_account(
            account_id,
            features=user.features,
            calls_per_second=user.calls_per_second,
            instances=user.instances,
        )
        if user.money:
            await self._bootstrap_client.refill(account_id, nano=user.money * NANO, currency=self._currency)

    async def _sign_in(self, client: httpx.AsyncClient, user: DemoUser, state: DemoState) -> _Session:
        credentials = {"login": user.login, "password": _password(state, user)}
        answer = await client.post("/api/accountsadmin/c/authorization/login", json=credentials)
        if answer.status_code in _NOT_THE_PASSWORD:
            raise DemoPasswordsLostError(str(self._file.path))
        answer.raise_for_status()
        account = await client.get("/api/mlpcore/account")
        account.raise_for_status()
        return _Session(client, account.json()["accountId"])

    async def _ensure_service(self, owner: _Session, service: DemoService) -> None:
        base = f"/api/mlpcore/account/{OWNER.account}"
        existing = await owner.client.get(f"{base}/model/{service.name}")
        if service.sealed_variable:
            made_up = {"name": service.sealed_variable, "value": secrets.token_urlsafe(32)}
            await owner.post(f"{base}/secret", made_up, accept=frozenset({200, 409}))
        if not existing.is_success:
            await owner.post(f"{base}/model", await self._model(owner, service))
        model = f"{base}/model/{service.name}"
        price = {
            "isBillingEnabled": True,
            "billingUnit": "calls",
            "billingUnitPriceInCurrency": float(service.price * _CENT),
            "freeUnitQuota": 0,
        }
        await owner.post(f"{model}/billing", price)
        await owner.post(f"{model}/public-settings", _publicity(service))
        await self._ensure_examples(owner, model, service)
        if service.running:
            await owner.post(f"{model}/instances", 1)
        log.info("demo_service_ready", model=service.name)

    async def _ensure_dataset(self, owner: _Session, dataset: DemoDataset) -> None:
        """Keeps a dataset of this name."""
        base = f"/api/mlpcore/account/{OWNER.account}/dataset"
        description = self._translate(dataset.description)
        about = {"name": dataset.name, "description": description, "dataType": dataset.data_type}
        made = await owner.post(base, {**about, "content": dataset.content}, accept=frozenset({200, 409}))
        if made.is_success:
            pk = made.json()["id"]
            await owner.post(f"{base}/{pk['datasetId']}/raw", {**about, "accessMode": "public"})

    @staticmethod
    async def _ensure_data_image(owner: _Session, image: DemoDataImage) -> None:
        """Keeps a data image of this name."""
        body = {"name": image.name, "image": image.image, "sourcePath": image.source_path, "accessMode": "public"}
        await owner.post(f"/api/mlpcore/account/{OWNER.account}/data-image", body, accept=frozenset({200, 409}))

    async def _ensure_server_template(self, admin: _Session, template: DemoServerTemplate) -> None:
        """Keeps a template of this name. It costs nothing: whoever uses it brings the server."""
        body = {
            "name": self._translate(template.name),
            "type": "HOSTING_SERVER",
            "description": self._translate(template.description),
            "rawConfiguration": "provider: hosting_server\n",
            "capacity": {
                "cpu": template.cpu,
                "memory": template.memory,
                "disk": template.disk,
                "gpuModels": template.gpu_models,
            },
            "publicPrice": 0,
            "publicPricePeriod": "MONTH",
            "currency": self._currency,
        }
        await admin.post(f"{_PLATFORM}/server/template", body, accept=frozenset({200, 409}))

    @staticmethod
    async def _ensure_bucket_files(owner: _Session) -> None:
        """Keeps a bucket that has something in it."""
        base = f"/api/mlpcore/account/{OWNER.account}/s3"
        listed = (await owner.client.get(f"{base}/object")).raise_for_status().json()
        for file in () if listed["objects"] or listed["folders"] else BUCKET_FILES:
            answer = await owner.client.put(
                f"{base}/content",
                params={"key": file.key},
                content=file.content.encode(),
                headers={"Content-Type": file.content_type},
            )
            answer.raise_for_status()

    async def _ensure_examples(self, owner: _Session, model: str, service: DemoService) -> None:
        """Keeps the examples of a model that has some."""
        existing = (await owner.client.get(f"{model}/example")).raise_for_status().json()
        for example in () if existing else service.examples:
            body = {"name": example.name, "request": example.request, "answer": example.answer}
            await owner.post(f"{model}/example", body)

    async def _model(self, owner: _Session, service: DemoService) -> dict[str, object]:
        return {
            "modelName": service.name,
            "imageAccountId": owner.account_id,
            "imageId": await self._image(owner, service),
            "displayName": self._translate(service.display_name),
            "shortDescription": self._translate(service.description),
            "taskType": service.task_type,
            "languages": list(service.languages),
            "hostingType": "HOSTING_SERVER",
            "resourceGroup": "default",
            "secretEnv": {service.sealed_variable: service.sealed_variable} if service.sealed_variable else {},
            "httpSettings": {
                "isHttpEnabled": service.http_port is not None,
                "httpPort": service.http_port,
                "mainPageEndpoint": "/health",
                "httpInterfaceOnly": service.http_port is not None,
            },
            "resourceLimits": {
                "cpuRequest": "100m",
                "memoryLimit": service.memory,
                "ephemeralDiskLimit": "100Mi",
                "gpuRequested": False,
            },
        }

    @staticmethod
    async def _image(owner: _Session, service: DemoService) -> int:
        base = f"/api/mlpcore/account/{OWNER.account}/image"
        listed = await owner.client.get(base, params={"name": service.name, "onlyMy": True})
        listed.raise_for_status()
        for record in listed.json()["records"]:
            if record["image"] == service.image:
                return int(record["id"]["imageId"])
        made = await owner.post(base, {"name": service.name, "image": service.image, "accessMode": "public"})
        return int(made.json()["id"]["imageId"])

    @staticmethod
    async def _make_key(caller: _Session) -> str:
        body = {"name": "demo", "permissions": ["predict", "read", "write"]}
        made = await caller.post(f"/api/mlpcore/account/{caller.account_id}/token", body)
        return str(made.json()["token"])


def _publicity(service: DemoService) -> dict[str, object]:
    return {
        "isPublic": True,
        "hidden": False,
        "publicTestingAllowed": True,
        "visitorCallsPerDay": service.visitor_calls,
        "featured": service.featured is not None,
        "featuredListOrder": service.featured,
    }
