"""The running service: relay, consumers and caches over a real bus."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import ASGIApp

from mlpcore.main import MIGRATIONS, build_app, open_service
from mlpcore.settings import MlpcoreSettings
from mlplace_contracts.enums import Role
from mlplace_contracts.events import AccountChanged
from mlplace_contracts.internal.identity import ResolveSecret, SessionIdentity, SessionMembership
from mlplace_kit.clock import ManualClock, SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.outbox import outbox_row
from mlplace_runtime.service import Shared
from mlplace_testing.identities import INTERNAL_TOKEN
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.waiting import eventually
from mlplace_testing.web import internal_client_to

ACCOUNT = AccountChanged(
    version=1, account_id=1000000001, short_name="acme", display_name="Acme", owner_user_id=1,
    email="a@example.org", language="EN", active=True,
)  # fmt: skip


def _accountsadmin() -> FastAPI:
    """Returns an app that knows one session of the owner of acme."""
    app = FastAPI()

    @app.post("/internal/accountsadmin/sessions/resolve")
    async def resolve(body: ResolveSecret) -> SessionIdentity | None:
        if body.secret != "live":
            return None
        membership = SessionMembership(account_id=1000000001, account_name="acme", roles=(Role.OWNER,))
        return SessionIdentity(
            session_hash="hash", user_id=1, login="a@example.org", permissions=(), internal=False,
            memberships=(membership,), features={}, expires_at=SystemClock().now() + timedelta(hours=1),
        )  # fmt: skip

    return app


@asynccontextmanager
async def _running(bus: LocalBus, url: str, hasher: KeyedHasher, folder: Path) -> AsyncGenerator[ASGIApp]:
    """The clock stands still, so only an event ends what a cache holds."""
    shared = Shared(
        bus=bus, clock=ManualClock(SystemClock().now()), internal=internal_client_to(accountsadmin=_accountsadmin()), hasher=hasher,
        envelope_key=bytes(32), internal_token=INTERNAL_TOKEN, cookies=CookieNames(secure=False), data_dir=folder,
    )  # fmt: skip
    async with open_service(MlpcoreSettings(database_url=url), shared) as app:
        yield app


class TestOpenService:
    @pytest.mark.own_database  # the service creates partitions
    async def test_revoked_key_is_refused_after_the_event(
        self, database_factory: DatabaseFactory, bus: LocalBus, hasher: KeyedHasher, tmp_path: Path
    ) -> None:
        made = await database_factory("mlpcore", MIGRATIONS)
        row = outbox_row(ACCOUNT, SystemClock())
        await bus.publish([Record(str(row["topic"]), str(row["key"]), bytes(row["value"]))])  # type: ignore[arg-type]  # bytes in a row of objects
        session = {"Cookie": "SESSION_ID=live"}
        async with (
            _running(bus, made.service_url, hasher, tmp_path) as app,
            httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://testserver") as client,
        ):

            async def display_name() -> str:
                answer = await client.get("/api/mlpcore/account", headers=session)
                return str(answer.json().get("displayName"))

            await eventually(display_name, until=lambda name: name == "Acme")
            url = "/api/mlpcore/account/acme/token"
            key = (await client.post(f"{url}?name=k", headers=session)).json()["token"]

            async def by_key() -> int:
                return (await client.get("/api/mlpcore/account", headers={"MLP-API-KEY": key})).status_code

            assert await by_key() == 200
            await client.delete(f"{url}/{key.split('.')[1]}", headers=session)
            assert await eventually(by_key, until=lambda status: status != 200) == 401
            assert (await client.get("/internal/mlpcore/health/ready")).json()["status"] == "ok"
            assert (await client.get("/api/mlpcore/account", headers={"Cookie": "SESSION_ID=dead"})).status_code == 401

    def test_openapi_document_is_built_without_resources(self) -> None:
        document = build_app().openapi()
        assert "/api/mlpcore/account/{account}/model/{model}" in document["paths"]
        assert not [path for path in document["paths"] if path.startswith("/internal")]
