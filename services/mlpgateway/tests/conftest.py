"""The gateway with a real database, bus, read models, writer and HTTP; instances and other services are twins."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
from fastapi import FastAPI, Request
from msgspec import structs

from mlpgateway.call.call import Answer, Call, Caller, Operation, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.features.archive import writer
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.main import MIGRATIONS, build_app, provide
from mlpgateway.settings import MlpgatewaySettings
from mlpgateway.wiring.components import Components, compose
from mlpgateway.wiring.http import over_http
from mlplace_contracts.events import (
    AccountChanged,
    AccountLimitsChanged,
    ApiKeyChanged,
    Event,
    ModelBilling,
    ModelChanged,
    ModelPublicity,
    ModelTimeouts,
    UsageRecorded,
)
from mlplace_contracts.internal.billing import (
    KeySpending,
    KeySpendingRequest,
    ReleaseRequest,
    Reservation,
    ReserveRequest,
)
from mlplace_contracts.internal.billing_refusals import AccountBlocked, InsufficientFunds
from mlplace_contracts.internal.identity import KeyIdentity, ResolveSecret, SessionIdentity
from mlplace_contracts.internal.predict_configs import ResolvedPredictConfig, ResolvePredictConfig
from mlplace_kit.clock import ManualClock, SystemClock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.errors import DomainError
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.outbox import rows_of
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_runtime.remote_identities import authenticator_of
from mlplace_runtime.service import Runtime, Shared
from mlplace_runtime.tasks import Loop, running
from mlplace_runtime.web import errors
from mlplace_runtime.web.app import attach
from mlplace_runtime.web.request_context import RequestContext
from mlplace_testing.compiled import opened_database
from mlplace_testing.events import on_the_bus, published
from mlplace_testing.identities import INTERNAL_TOKEN, Identities
from mlplace_testing.web import internal_client_to, shared_app

ACME, DEMO, OTHER = 1000000001, 1000000002, 1000000003
MODEL = 500
METRICS_TOKEN = "m" * 32
CALLS = ModelBilling(
    enabled=True, unit=BillingUnit.CALLS, unit_price_nano=10, currency=Currency.RUBLE, free_unit_quota=0
)
FREE = ModelBilling(
    enabled=False, unit=BillingUnit.CALLS, unit_price_nano=10, currency=Currency.RUBLE, free_unit_quota=0
)
PUBLIC = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=False)
PRIVATE = ModelPublicity(is_public=False, hidden=False, public_testing_allowed=False)

Script = Callable[[InstanceRequest], AsyncGenerator[Answer]]
_versions = count(1)


async def echo(request: InstanceRequest) -> AsyncGenerator[Answer]:
    """Answers with the request's data."""
    yield Answer(request.data or Payload(), {})


def says(*texts: str, **headers: str) -> Script:
    """Answers with partial answers, or one answer; `headers` come with each."""

    async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
        for place, text in enumerate(texts):
            last = place == len(texts) - 1
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            yield Answer(Payload(json=text), named, first=place == 0, last=last, partial=len(texts) > 1)

    return script


class InstanceTwin:
    """Satisfies InstanceLink and StreamedInputLink."""

    def __init__(self, instance_id: int, model_id: int, script: Script) -> None:
        self.instance_id = instance_id
        self.model_id = model_id
        self.active_requests = 0
        self.accepts_requests = True
        self.requests: list[InstanceRequest] = []
        self.finished = 0
        self._script = script

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        self.requests.append(request)
        return self._run(request)

    async def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        parts = [part.json or "" async for part in inputs]
        async with aclosing(self.send(structs.replace(request, data=Payload(json="".join(parts))))) as answers:
            async for answer in answers:
                yield answer

    async def _run(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        self.active_requests += 1
        try:
            async for answer in self._script(request):
                yield answer
        finally:
            self.active_requests -= 1
            self.finished += 1


class BillingTwin:
    """Grants like mlpbilling: at most an eighth of what is available, at least the minimum, or a refusal.

    For an answer it grants all that is available.
    """

    def __init__(self, clock: ManualClock | SystemClock) -> None:
        self._clock = clock
        self.money: dict[int, int] = {DEMO: 10**15}
        self.free_units: dict[tuple[int, int], int] = {}
        self.reservations: dict[str, tuple[ReserveRequest, Reservation]] = {}
        self.held: dict[str, int] = {}
        self.asked = 0
        self.released: list[tuple[str, ReleaseRequest]] = []
        self.blocked: set[int] = set()
        self.usable_seconds = 30
        self.down = False
        self.late: asyncio.Event | None = None
        """Set while the next release has to wait."""
        self.spent_by_key: dict[int, int] = {}
        self.asked_for_history: list[KeySpendingRequest] = []
        self.app = shared_app(_billing_app)
        self.app.state.twin = self

    def available(self, payer: int) -> int:
        held = sum(held for key, held in self.held.items() if self.reservations[key][0].payer_account_id == payer)
        return self.money.get(payer, 0) - held

    def reserve(self, body: ReserveRequest) -> Reservation:
        self.asked += 1
        if self.down:
            raise ConnectionError("away")
        if body.payer_account_id in self.blocked:
            raise AccountBlocked
        available = self.available(body.payer_account_id)
        quota = self.free_units.setdefault((body.payer_account_id, body.model_id), body.free_unit_quota)
        free = min(quota, body.wanted_free_units)
        money = 0
        if available >= body.minimum_nano:
            most = available if body.for_answer else available // 8
            money = max(body.minimum_nano, min(body.wanted_nano, most))
        elif not free:
            if body.recall and self.money.get(body.payer_account_id, 0) > available:
                now = self._clock.now()
                return Reservation(
                    reservation_id=body.reservation_id, granted_nano=0, granted_free_units=0, usable_until=now,
                    expires_at=now,
                )  # fmt: skip
            raise InsufficientFunds
        self.free_units[body.payer_account_id, body.model_id] -= free
        now = self._clock.now()
        answer = Reservation(
            reservation_id=body.reservation_id,
            granted_nano=money,
            granted_free_units=free,
            usable_until=now + timedelta(seconds=self.usable_seconds),
            expires_at=now + timedelta(seconds=self.usable_seconds * 2),
        )
        self.reservations[str(body.reservation_id)] = (body, answer)
        self.held[str(body.reservation_id)] = money
        return answer

    def release(self, key: str, body: ReleaseRequest) -> Reservation:
        if self.down:
            raise ConnectionError("away")
        self.released.append((key, body))
        request, answer = self.reservations[key]
        self.held[key] = min(self.held[key], body.spent_nano + body.in_progress_nano)
        kept = body.spent_free_units + body.in_progress_free_units
        self.free_units[request.payer_account_id, request.model_id] += answer.granted_free_units - kept
        if body.in_progress_nano or body.in_progress_free_units:
            expires_at = self._clock.now() + timedelta(seconds=self.usable_seconds * 2)
            return answer.model_copy(update={"expires_at": expires_at})
        return answer


def _billing_app() -> FastAPI:
    app = FastAPI()
    errors.install(app)

    @app.post("/internal/mlpbilling/reservations")
    async def reserve(request: Request, body: ReserveRequest) -> Reservation:
        return request.app.state.twin.reserve(body)

    @app.post("/internal/mlpbilling/reservations/{reservation_id}/release")
    async def release(request: Request, reservation_id: str, body: ReleaseRequest) -> Reservation:
        twin = request.app.state.twin
        late, twin.late = twin.late, None
        if late is not None:
            await late.wait()
        return twin.release(reservation_id, body)

    @app.post("/internal/mlpbilling/usage/key-spending")
    async def key_spending(request: Request, body: KeySpendingRequest) -> KeySpending:
        twin = request.app.state.twin
        twin.asked_for_history.append(body)
        if twin.down:
            raise ConnectionError("away")
        return KeySpending(spent_nano=twin.spent_by_key.get(body.key_id, 0))

    return app


class World:
    def __init__(
        self, components: Components, app: RequestContext, bus: LocalBus, billing: BillingTwin, people: Identities
    ) -> None:
        self.components = components
        self.app = app
        self.bus = bus
        self.billing = billing
        self.people = people
        self.resolved: list[str] = []
        self.fresh_keys: dict[str, KeyIdentity] = {}
        self.fresh_configs: dict[tuple[int, int], str] = {}
        self.configs_asked_for: list[tuple[int, int]] = []
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://testserver")
        self._numbers = count(1)

    def know(self, *events: Event) -> None:
        """Applies events as if they had come over the bus."""
        for event in events:
            self.components.read_models.apply(event)

    async def publish(self, *events: Event) -> None:
        await self.bus.publish(records_of(*events))

    def account(self, account_id: int, name: str) -> None:
        self.know(account_changed(account_id, name))

    def key(self, account_id: int = DEMO, **about: object) -> dict[str, str]:
        """Returns headers with a live key that the read model knows."""
        event, secret = self.key_event(account_id, **about)
        self.know(event)
        return {"MLP-API-KEY": secret}

    def key_event(self, account_id: int = DEMO, **about: object) -> tuple[ApiKeyChanged, str]:
        number = next(self._numbers)
        secret = new_credential(account_id=account_id, object_id=number).text
        values: dict[str, object] = {
            "version": 1, "key_id": number, "account_id": account_id, "name": "k", "permissions": ("predict",),
            "allowed_models": None, "expires_at": None, "active": True, **about,
        }  # fmt: skip
        hashed = KeyedHasher(b"a secret for tests only").digest(secret)
        return ApiKeyChanged(key_hash=hashed, **values), secret  # type: ignore[arg-type]

    def instance(self, script: Script = echo, *, model_id: int = MODEL) -> InstanceTwin:
        twin = InstanceTwin(next(self._numbers), model_id, script)
        self.components.links.add(twin)  # type: ignore[arg-type]  # a twin
        return twin

    async def usage(self) -> list[UsageRecorded]:
        """Returns usage that was published on the bus or stored with its answer."""
        await self.components.spool.flush(30)
        return await on_the_bus(self.bus, UsageRecorded) + await published(self.components.database, UsageRecorded)

    async def predict(
        self,
        headers: dict[str, str] | list[tuple[str, str]],
        body: object = None,
        call: str = "predict",
        model: str = "ner",
    ):
        content = body if isinstance(body, (bytes, str)) else '{"text":"hi"}'
        return await self.client.post(
            f"/api/mlpgateway/account/acme/model/{model}/{call}", content=content, headers=headers
        )


def records_of(*events: Event) -> list[Record]:
    rows = zip(events, rows_of(events, SystemClock()), strict=True)
    return [Record(event.topic.name, event.key, cast("bytes", row["value"])) for event, row in rows]


def account_changed(account_id: int, name: str, *, version: int | None = None, active: bool = True) -> AccountChanged:
    return AccountChanged(
        version=version or next(_versions), account_id=account_id, short_name=name, display_name=name, owner_user_id=1,
        email="a@example.org", language="EN", active=active,
    )  # fmt: skip


def model_changed(
    model_id: int = MODEL, name: str = "ner", *, version: int | None = None, **about: object
) -> ModelChanged:
    values: dict[str, object] = {
        "account_id": ACME, "account_name": "acme", "task_type": "ner", "active": True, "prototype": False,
        "fittable": False, "composite": False, "hosting_type": "EXTERNAL", "reject_if_inactive": True,
        "timeouts": ModelTimeouts(pod_start=120, predict=30, fit=600), "billing": FREE, "publicity": PUBLIC, **about,
    }  # fmt: skip
    return ModelChanged(version=version or next(_versions), model_id=model_id, model_name=name, **values)  # type: ignore[arg-type]


def limits_changed(account_id: int, per_second: int = 100_000, features: Sequence[str] = ()) -> AccountLimitsChanged:
    return AccountLimitsChanged(
        version=next(_versions), account_id=account_id, predict_per_sec=per_second, fit_per_minute=5,
        features=tuple(features),
    )  # fmt: skip


@cache
def settings_with(**settings: object) -> MlpgatewaySettings:
    """Settings are validated once for all tests that choose the same ones."""
    return MlpgatewaySettings(**{"database_url": "", "usage_spool_dir": Path(), **settings})  # type: ignore[arg-type]


def _identity_app() -> FastAPI:
    """The routes of mlpcore and accountsadmin that resolve credentials."""
    app = FastAPI()
    errors.install(app)

    @app.post("/internal/mlpcore/keys/resolve")
    async def resolve_key(request: Request, body: ResolveSecret) -> KeyIdentity | None:
        world = request.app.state.world
        world.resolved.append(body.secret)
        return world.fresh_keys.get(body.secret)

    @app.post("/internal/mlpcore/predict-configs/resolve")
    async def resolve_config(request: Request, body: ResolvePredictConfig) -> ResolvedPredictConfig | None:
        world, key = request.app.state.world, (body.model_id, body.config_id)
        world.configs_asked_for.append(key)
        text = world.fresh_configs.get(key)
        return None if text is None else ResolvedPredictConfig(config=text)

    @app.post("/internal/accountsadmin/sessions/resolve")
    async def resolve_session(request: Request, body: ResolveSecret) -> SessionIdentity | None:
        world = request.app.state.world
        world.resolved.append(body.secret)
        return await world.people.session(body.secret)

    return app


@pytest.fixture
def open_world(
    database_factory, bus: LocalBus, clock: ManualClock, hasher: KeyedHasher, identities: Identities, tmp_path: Path
):
    """Returns a context manager: a world with given settings.

    `cleanup`: old records of the archive are deleted. Its first look at the database takes longer than most tests.
    """

    @asynccontextmanager
    async def opened(
        *, write: bool = True, cleanup: bool = False, envelope_key: bytes = b"0" * 32, **settings: object
    ) -> AsyncGenerator[World]:
        urls = await database_factory("mlpgateway", MIGRATIONS)
        billing = BillingTwin(clock)
        twins = shared_app(_identity_app)
        shared = Shared(
            bus=bus,
            clock=clock,
            internal=internal_client_to(mlpbilling=billing.app, mlpcore=twins, accountsadmin=twins),
            hasher=hasher,
            envelope_key=envelope_key,
            internal_token=INTERNAL_TOKEN,
            cookies=CookieNames(secure=False),
            data_dir=tmp_path,
            metrics_token=METRICS_TOKEN,
        )
        spool = settings.pop("usage_spool_dir", tmp_path / f"usage-{next(_versions)}")
        places = {"database_url": urls.service_url, "usage_spool_dir": spool}
        chosen = settings_with(**settings).model_copy(update=places)
        database = opened_database(urls.service_url)
        components = compose(chosen, shared, database, ConnectedInstances())
        control = shared_app(build_app)
        authenticator = authenticator_of(shared, sessions=components.sessions, keys=components.keyring)
        accounts = components.read_models.accounts
        runtime = Runtime("mlpgateway", database, authenticator, accounts, clock, components.not_ready)
        provided = provide(chosen, shared, components, "127.0.0.1:1")
        attach(control, replace(runtime, behind=components.behind, database_needed=False), provided)
        front = over_http(components, control=control, cookies=shared.cookies)
        app = RequestContext(front, service="mlpgateway", max_body_bytes=chosen.max_body_bytes)
        world = twins.state.world = World(components, app, bus, billing, identities)
        loops = [
            Loop("read-models", components.read_models_projection.run),
            Loop("identities", components.identities_projection.run),
            Loop("limits", components.bucket_leases.run),
            Loop("caches", components.caches.run),
            Loop("archive", components.archive.run),
            *([Loop("archive-cleanup", components.archive.run_cleanup)] if cleanup else []),
            *([Loop("spool", components.spool.run), Loop("writer", components.writer.run)] if write else []),
        ]
        async with running("test", loops):
            await components.read_models_projection.ready.wait()
            if write:
                await components.spool.ready.wait()
            world.account(ACME, "acme")
            world.account(DEMO, "demo")
            world.account(OTHER, "other")
            world.know(model_changed(), limits_changed(DEMO), limits_changed(ACME))
            yield world
            await world.client.aclose()
            await components.entry_points.egress.close()
            await components.large_bodies.close()
        await database.close()

    return opened


@pytest.fixture
async def world(open_world) -> AsyncGenerator[World]:
    async with open_world() as opened:
        yield opened


@pytest.fixture
async def world_with_cleanup(open_world, monkeypatch) -> AsyncGenerator[World]:
    """One that deletes records of the archive as soon as they are too old or too many."""
    monkeypatch.setattr(writer, "_LOOK_SECONDS", 0.05)
    async with open_world(cleanup=True) as opened:
        yield opened


@pytest.fixture
async def port(world: World) -> AsyncGenerator[int]:
    """The port of a real server in front of the gateway."""
    listener = listen("127.0.0.1", 0)
    server = HttpServer(world.app, listener)
    await server.start()
    yield listener.getsockname()[1]
    await server.stop()


class RawRequest:
    """One request over bare ASGI, for what an HTTP client hides: single chunks, disconnects, slow readers.

    `reads` is how many chunks of the body are read; a sender of more waits, and `stuck` is set.
    """

    def __init__(
        self, app, path: str, headers: dict[str, str], body: bytes = b'{"data": "1"}', *, reads: int | None = None
    ) -> None:
        self._reads = reads
        self.stuck = asyncio.Event()
        self._incoming: asyncio.Queue[dict[str, object]] = asyncio.Queue()
        self._incoming.put_nowait({"type": "http.request", "body": body, "more_body": False})
        self.sent: list[dict[str, object]] = []
        self.arrived = asyncio.Event()
        scope = {
            "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 5), "server": ("testserver", 80), "scheme": "http", "http_version": "1.1",
        }  # fmt: skip
        self.task = asyncio.create_task(app(scope, self._incoming.get, self._send))

    async def _send(self, message: dict[str, object]) -> None:
        self.sent.append(message)
        if message["type"] == "http.response.body":
            self.arrived.set()
            if self._reads is not None and len(self.chunks) >= self._reads:
                self.stuck.set()
                await asyncio.Event().wait()

    @property
    def chunks(self) -> list[bytes]:
        return [message["body"] for message in self.sent if message["type"] == "http.response.body"]  # type: ignore[misc]

    def hang_up(self) -> None:
        self._incoming.put_nowait({"type": "http.disconnect"})


@pytest.fixture
def raw():
    return RawRequest


class Failing(DomainError):
    code = "mlp-action.common.channel-closed-error"
    status = 503
    message = "lost"


def fails(error: Exception | type[Exception], *texts: str) -> Script:
    """Answers with parts, then an error."""

    async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
        for text in texts:
            yield Answer(Payload(json=text), {}, first=False, last=False, partial=True)
        raise error

    return script


def call_with(key: dict[str, str], **about: object) -> Call:
    """Returns a call of the model, bypassing the entry points."""
    caller = Caller(key["MLP-API-KEY"], credential_is_session=False, billing_key=None, client_ip="127.0.0.1")
    values: dict[str, object] = {"data": Payload(json='"x"'), **about}
    return Call("r1", "acme", "ner", Operation.PREDICT, caller, **values)  # type: ignore[arg-type]


@pytest.fixture
def kit():
    """Provides the helpers of this file: tests cannot import conftest."""
    return SimpleNamespace(**globals())
