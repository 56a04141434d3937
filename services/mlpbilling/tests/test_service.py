"""Tests the whole service over the bus: events in, events out, and calls to other services."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
from fastapi import APIRouter, Depends, FastAPI

from mlpbilling.main import open_service
from mlpbilling.state import BillingState
from mlplace_contracts.events import AccountLimitsChanged, BalanceChanged, Event
from mlplace_contracts.internal.identity import KeyIdentity, ResolveSecret, SessionIdentity
from mlplace_contracts.topics import BALANCES
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.money import NANO
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.bus.consumer import Projection
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.outbox import outbox_row
from mlplace_runtime.service import Runtime, Shared
from mlplace_runtime.tasks import Loop, running
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.policy import Internal
from mlplace_testing.identities import INTERNAL_TOKEN, Identities
from mlplace_testing.waiting import eventually
from mlplace_testing.web import internal_client_to

from .conftest import Harness, usage_of
from .test_reports import account


def identity_twin(identities: Identities, state: BillingState) -> FastAPI:
    """A test double of the key and session look-ups of accountsadmin and mlpcore."""
    router = APIRouter(dependencies=[Depends(Internal())])

    @router.post("/internal/accountsadmin/sessions/resolve")
    async def session(body: ResolveSecret) -> SessionIdentity | None:
        return await identities.session(body.secret)

    @router.post("/internal/mlpcore/keys/resolve")
    async def key(body: ResolveSecret) -> KeyIdentity | None:
        return await identities.key(body.secret)

    app = create_app(name="twin", title="Twin", version="1", routers=[router])
    attach(app, Runtime("twin", state.database, identities.authenticator, identities, state.clock, dict))
    return app


@pytest.fixture
async def service(
    state: BillingState, bus: LocalBus, hasher: KeyedHasher, identities: Identities, tmp_path: Path
) -> AsyncGenerator[httpx.AsyncClient]:
    twin = identity_twin(identities, state)
    shared = Shared(
        bus=bus,
        clock=state.clock,
        internal=internal_client_to(accountsadmin=twin, mlpcore=twin),
        hasher=hasher,
        envelope_key=b"k" * 32,
        internal_token=INTERNAL_TOKEN,
        cookies=CookieNames(secure=False),
        data_dir=tmp_path,
    )
    settings = state.settings.model_copy(update={"expiry_interval_seconds": 0.05})
    async with (
        open_service(settings, shared) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://testserver") as client,
    ):
        yield client


async def publish(bus: LocalBus, clock: ManualClock, *events: Event) -> None:
    rows = [(event, outbox_row(event, clock)["value"]) for event in events]
    await bus.publish([Record(e.topic.name, e.key, value) for e, value in rows if isinstance(value, bytes)])


class TestOverTheBus:
    async def test_a_usage_event_leads_to_balance_events(
        self,
        service: httpx.AsyncClient,
        bus: LocalBus,
        clock: ManualClock,
        identities: Identities,
        harness: Harness,
    ) -> None:
        await harness.refill(1, 2 * NANO)
        seen: dict[int, BalanceChanged] = {}

        def apply(event: Event) -> None:
            assert isinstance(event, BalanceChanged)
            seen[event.account_id] = event

        async def told() -> dict[int, BalanceChanged]:
            return seen

        reader = Projection(name="reader", topics=(BALANCES,), apply=apply, bus=bus)
        async with running("test", [Loop("reader", reader.run)]):
            await publish(bus, clock, account(2, "acme"), *(usage_of(clock) for _ in range(3)))
            await eventually(told, until=lambda found: 2 in found and found[2].income_nano == 2 * NANO)
            assert seen[1].blocked
            limits = AccountLimitsChanged(
                version=1,
                account_id=1,
                predict_per_sec=1,
                fit_per_minute=1,
                features=("mlp_billing.no_blocking",),
            )
            await publish(bus, clock, limits)
            await eventually(told, until=lambda found: not found[1].blocked)
        owner, key = identities.account(2, "acme"), "/api/mlpbilling/account/2/balance/short"
        for headers in (identities.user(owner), identities.api_key(owner), identities.user(superadmin=True)):
            assert (await service.get(key, headers=headers)).json()["incomeBalanceCurrency"] == 2.0

    async def test_unreleased_reservations_expire_by_themselves(
        self, service: httpx.AsyncClient, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, NANO)
        held = await harness.reserve()
        clock.advance(held.expires_at - clock.now())
        await eventually(lambda: harness.money(1), until=lambda money: money[2] == 0)

    async def test_the_service_is_ready_once_it_has_read_its_topics(self, service: httpx.AsyncClient) -> None:
        async def ready() -> int:
            return (await service.get("/internal/mlpbilling/health/ready")).status_code

        await eventually(ready, until=lambda status: status == 200)
        metrics = await service.get("/internal/mlpbilling/metrics")
        assert "mlp_billing_drifting_balances" in metrics.text
