"""Fills a fresh installation before the measurement: two accounts, a priced model, a key, a catalogue."""

import asyncio
import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import asyncpg
import httpx

from benchmarks.platform_stack import Stack
from benchmarks.processes import module
from mlplace_contracts.enums import Feature
from mlplace_contracts.events import Event, InstanceChanged, InstanceHttp
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.money import NANO
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.outbox import rows_of
from standalone.demo.bootstrap_client import BootstrapClient
from standalone.demo.content import DemoUser

LOGIN, PASSWORD = "owner@example.org", "a long benchmark password"  # pragma: allowlist secret
BODY = '{"texts": ["Иван Петров приехал из Казани в Москву к Анне Ахматовой, а она уже уехала в Петербург."]}'
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TASK_TYPES = ("ner", "asr", "tts", "embedding", "classification", "translation", "summary", "chat", "vision", "custom")
_FEATURES = (Feature.MODEL_ADMIN, Feature.PUBLIC_MODEL_ADMIN, Feature.TEST_FORM)
OWNER = DemoUser(LOGIN, "owner", "Owner", "owns", _FEATURES)
CALLER = DemoUser("caller@example.org", "caller", "Caller", "calls", _FEATURES)
_PRICE = 0.01
_CALLS_PER_SECOND = 1_000_000
_INSTANCES = 100
_MONEY = 10_000_000 * NANO
_CONNECTED_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Content:
    """`caller_key` may call and read; `owner_key` belongs to the account that owns the models."""

    owner_id: int
    caller_id: int
    model_id: int
    caller_key: str
    owner_key: str

    @property
    def call_path(self) -> str:
        return "/api/mlpgateway/account/owner/model/echo/predict"

    @property
    def call_headers(self) -> dict[str, str]:
        return {"MLP-API-KEY": self.caller_key, "traceparent": TRACE}

    @property
    def grpc_call(self) -> str:
        """The same call as a serialised gRPC request, in base64."""
        request = pb.ClientRequestProto(account="owner", model="echo", authToken=self.caller_key)
        request.predict.data.json = BODY
        request.headers["traceparent"] = TRACE
        return base64.b64encode(request.SerializeToString()).decode()


async def populate(stack: Stack) -> Content:
    async with stack.internal() as internal:
        bootstrap_client = BootstrapClient(internal)
        owner_id, caller_id = [await bootstrap_client.ensure_user(user, password=PASSWORD) for user in (OWNER, CALLER)]
        for account_id, user in ((owner_id, OWNER), (caller_id, CALLER)):
            await _configure_account(bootstrap_client, account_id, user)
        await bootstrap_client.refill(caller_id, nano=_MONEY, currency="RUBLE")
    async with signed_in(stack, OWNER) as owner:
        model_id = await add_service(owner, owner_id, "echo", {}, priced=True)
        owner_key = await new_key(owner, owner_id)
        token = await external_instance(owner, owner_id, "echo")
    async with signed_in(stack, CALLER) as caller:
        caller_key = await new_key(caller, caller_id)
    stack.start(module("benchmarks.subjects.echo_instance", stack.gate_port), MLP_SERVICE_TOKEN=token)
    content = Content(owner_id, caller_id, model_id, caller_key, owner_key)
    await _until_it_answers(stack, content)
    return content


async def _configure_account(bootstrap_client: BootstrapClient, account_id: int, user: DemoUser) -> None:
    """Retry until mlpcore has learned of the new account over the bus."""
    deadline = time.monotonic() + _CONNECTED_SECONDS
    while True:
        try:
            await bootstrap_client.configure_account(
                account_id, features=user.features, calls_per_second=_CALLS_PER_SECOND, instances=_INSTANCES
            )
        except Exception:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.1)
        else:
            return


def signed_in(stack: Stack, user: DemoUser) -> "_SignedIn":
    return _SignedIn(stack, user)


class _SignedIn:
    """A client of mlpcore with the cookies of a session."""

    def __init__(self, stack: Stack, user: DemoUser) -> None:
        self._address = stack.services["accountsadmin"].url
        self._client = httpx.AsyncClient(base_url=stack.services["mlpcore"].url, timeout=30)
        self._user = user

    async def __aenter__(self) -> httpx.AsyncClient:
        credentials = {"login": self._user.login, "password": PASSWORD}
        path = f"{self._address}/api/accountsadmin/c/authorization/login"
        (await self._client.post(path, json=credentials)).raise_for_status()
        return self._client

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()


async def _post(client: httpx.AsyncClient, path: str, body: object = None) -> httpx.Response:
    answer = await client.post(path, json=body)
    if not answer.is_success:
        raise RuntimeError(f"{path} answered {answer.status_code}: {answer.text[:500]}")
    return answer


async def add_service(
    owner: httpx.AsyncClient, account_id: int, name: str, settings: Mapping[str, object], *, priced: bool
) -> int:
    """Create a public model of the account, for an external instance."""
    base = f"/api/mlpcore/account/{account_id}"
    image = await _post(
        owner, f"{base}/image", {"name": name, "image": f"example.org/{name}:1", "accessMode": "private"}
    )
    body = {
        "modelName": name,
        "imageAccountId": account_id,
        "imageId": image.json()["id"]["imageId"],
        "taskType": "custom",
        "hostingType": "EXTERNAL",
        **settings,
    }
    made = await _post(owner, f"{base}/model", body)
    price = {
        "isBillingEnabled": True,
        "billingUnit": "calls",
        "billingUnitPriceInCurrency": _PRICE,
        "freeUnitQuota": 0,
    }
    if priced:
        await _post(owner, f"{base}/model/{name}/billing", price)
    publicity = {"isPublic": True, "hidden": False, "publicTestingAllowed": True}
    await _post(owner, f"{base}/model/{name}/public-settings", publicity)
    return int(made.json()["id"]["modelId"])


async def external_instance(owner: httpx.AsyncClient, account_id: int, name: str) -> str:
    """Create an instance and return its token."""
    made = await _post(owner, f"/api/mlpcore/account/{account_id}/model/{name}/external")
    return str(made.json()["envVariables"]["MLP_SERVICE_TOKEN"])


async def tell(stack: Stack, *events: Event) -> None:
    """Publish events for the gates, as another service would."""
    rows = zip(events, rows_of(events, SystemClock()), strict=True)
    async with LocalBus(stack.bus("mlpgateway")) as bus:
        await bus.publish([Record(event.topic.name, event.key, cast("bytes", row["value"])) for event, row in rows])


def instance_of(
    stack: Stack, model_id: int, account_id: int, number: int, http: InstanceHttp | None = None
) -> tuple[str, InstanceChanged]:
    """Returns the token of a made-up instance, and the event that announces it."""
    token = new_credential(account_id=account_id, object_id=number).text
    changed = InstanceChanged(
        version=1,
        instance_id=number,
        model_id=model_id,
        account_id=account_id,
        token_hash=KeyedHasher(bytes.fromhex(stack.hash_secret)).digest(token),
        accepts_connections=True,
        http=http,
    )
    return token, changed


async def new_key(client: httpx.AsyncClient, account_id: int, **limits: object) -> str:
    permissions = ["predict"] if limits else ["predict", "read", "write"]  # keys with limits cannot create keys
    body = {"name": f"benchmark {len(limits)}", "permissions": permissions, **limits}
    made = await _post(client, f"/api/mlpcore/account/{account_id}/token", body)
    return str(made.json()["token"])


async def _until_it_answers(stack: Stack, content: Content) -> None:
    """Call until the gate knows the model, the key and the limits, which arrive over the bus.

    Sends 50 calls at once.
    """
    deadline = time.monotonic() + _CONNECTED_SECONDS
    async with httpx.AsyncClient(base_url=stack.services["mlpgateway"].url) as client:
        while True:
            answers = await asyncio.gather(
                *(client.post(content.call_path, content=BODY, headers=content.call_headers) for _ in range(50))
            )
            bad = [answer.text for answer in answers if not answer.is_success]
            if not bad:
                return
            if time.monotonic() > deadline:
                raise TimeoutError(bad[0])
            await asyncio.sleep(0.2)


async def fill_catalogue(stack: Stack, content: Content, *, rows: int) -> None:
    """Fill the catalogue with copies of the model up to `rows`, each with its own name, a tenth of each task type."""
    connection = await asyncpg.connect(stack.postgres.admin_dsn("mlpcore"))
    try:
        await connection.execute("DELETE FROM model WHERE account_id = $1 AND name <> 'echo'", content.owner_id)
        names = await connection.fetch(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'model' AND table_schema = 'public'"
            " AND is_generated = 'NEVER'"
        )
        own = {"model_id", "name", "display_name", "task_type", "short_description"}
        copied = ", ".join(f'"{row["column_name"]}"' for row in names if row["column_name"] not in own)
        await connection.execute(
            f"INSERT INTO model (name, display_name, task_type, short_description, {copied}) "  # noqa: S608  no input
            f"SELECT 'service-' || n, 'Service number ' || n, ($1::text[])[1 + n % 10], repeat('words ', 20), {copied} "
            "FROM model, generate_series(1, $2) AS n WHERE account_id = $3 AND name = 'echo'",
            list(TASK_TYPES),
            rows - 1,
            content.owner_id,
        )
        await connection.execute("ANALYZE model")
    finally:
        await connection.close()
