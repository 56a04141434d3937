"""The service without its loops, and a harness that acts for gates, users and other services."""

import uuid
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from mlpbilling.features.charges.dependencies import charges_of
from mlpbilling.features.directory.repository import DirectoryRepository
from mlpbilling.features.ledger.changes import AccountBalances
from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.features.refills.dependencies import refills_of
from mlpbilling.features.refills.orders import RefillOrder, RefillSource
from mlpbilling.features.reservations.dependencies import reservations_of
from mlpbilling.features.reservations.loops import end_reservations
from mlpbilling.features.verification.repository import Verification, VerificationRepository
from mlpbilling.main import MIGRATIONS, SERVICE
from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlplace_contracts.events import AccountChanged, ModelChanged, UsageRecorded
from mlplace_contracts.internal.billing import ReleaseRequest, Reservation, ReserveRequest
from mlplace_contracts.internal.people import PersonAnswer
from mlplace_kit.clock import Clock, ManualClock
from mlplace_kit.money import NANO, Currency
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_testing.compiled import opened_database
from mlplace_testing.identities import Identities
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.web import client_for, shared_app

RUBLE, TOKEN = Currency.RUBLE, Currency.TOKEN


class SomePeople:
    """A test double of accountsadmin: each user is a person with a confirmed address, unless configured otherwise."""

    def __init__(self) -> None:
        self.persons: dict[int, PersonAnswer] = {}

    async def person(self, *, user_id: int) -> PersonAnswer:
        return self.persons.get(user_id) or PersonAnswer(person=f"person-{user_id}", confirmed=True)


class Harness:
    """Amounts are nano-units. Each operation is one transaction."""

    def __init__(self, state: BillingState) -> None:
        self.state = state

    @property
    def database(self) -> Database:
        return self.state.database

    def with_settings(self, **changes: object) -> "Harness":
        settings = self.state.settings.model_copy(update=changes)
        return Harness(BillingState(settings, self.state.database, self.state.clock, people=self.state.people))

    async def refill(
        self,
        account_id: int,
        amount: int,
        currency: Currency = RUBLE,
        *,
        key: str | None = None,
        source: RefillSource = RefillSource.REQUEST_FROM_AA,
    ) -> None:
        order = RefillOrder(account_id, source, currency, amount, idempotency_key=key or uuid.uuid4().hex)
        async with self.database.transaction() as session:
            await refills_of(session, self.state).refill(order=order)

    async def reserve(self, payer: int = 1, **wishes: Any) -> Reservation:
        request = ReserveRequest.model_validate(reservation_body(payer, **wishes))
        async with self.database.transaction() as session:
            return await reservations_of(session, self.state).reserve(request=request)

    async def release(
        self, reservation_id: uuid.UUID, *, nano: int = 0, free: int = 0, in_progress: tuple[int, int] = (0, 0)
    ) -> Reservation:
        request = ReleaseRequest(
            spent_nano=nano, spent_free_units=free, in_progress_nano=in_progress[0],
            in_progress_free_units=in_progress[1],
        )  # fmt: skip
        async with self.database.transaction() as session:
            service = reservations_of(session, self.state)
            return await service.release(reservation_id=reservation_id, request=request)

    async def charge(self, *usages: UsageRecorded) -> None:
        async with self.database.transaction() as session:
            await charges_of(session, self.state).charge(usages=usages)

    async def earn(self, owner: int, amount: int, *, payer: int = 1) -> None:
        """Posts income from a payer with enough money."""
        await self.refill(payer, amount)
        await self.charge(usage_of(self.state.clock, amount, payer=payer, owner=owner))

    async def spend_income(self, owner: int, amount: int) -> None:
        """Moves income to the main balance."""
        await self.refill(owner, amount, source=RefillSource.REFILL_FROM_INCOME)

    async def expire(self) -> None:
        await end_reservations(self.state)

    async def set_no_blocking(self, account_id: int, *, enabled: bool = True, version: int = 1) -> None:
        async with self.database.transaction() as session:
            ledger = ledger_of(session, self.state.clock)
            await ledger.set_no_blocking(account_id=account_id, enabled=enabled, version=version)

    async def know(self, *events: AccountChanged | ModelChanged) -> None:
        async with self.database.transaction() as session:
            repository = DirectoryRepository(session)
            await repository.remember_accounts([e for e in events if isinstance(e, AccountChanged)])
            await repository.remember_models([e for e in events if isinstance(e, ModelChanged)])

    async def money(self, account_id: int, currency: Currency = RUBLE) -> tuple[int, int, int]:
        """Returns main balance, income and held money."""
        balances = (await self.standing(account_id)).of(currency)
        return balances.main_nano, balances.income_nano, balances.held_nano

    async def standing(self, account_id: int) -> AccountBalances:
        async with self.database.transaction() as session:
            return await ledger_of(session, self.state.clock).standing(account_id=account_id)

    async def blocked(self, account_id: int) -> bool:
        return (await self.standing(account_id)).blocked

    async def verify(self) -> Verification:
        async with self.database.transaction() as session:
            return await VerificationRepository(session).verify()

    async def query(self, statement: str) -> Sequence[Any]:
        async with self.database.transaction() as session:
            return (await session.execute(sa.text(statement))).all()


def reservation_body(payer: int = 1, **wishes: Any) -> dict[str, Any]:
    body = {
        "reservation_id": uuid.uuid4(),
        "gate": "gate-1",
        "payer_account_id": payer,
        "model_account_id": 2,
        "model_id": 20,
        "currency": "RUBLE",
        "minimum_nano": NANO,
        "wanted_nano": NANO,
    }
    return body | wishes


def usage_of(clock: Clock, amount: int = NANO, *, payer: int = 1, owner: int = 2, **more: Any) -> UsageRecorded:
    at: datetime = more.pop("at", None) or clock.now()
    fields = {
        "usage_id": uuid.uuid4(),
        "occurred_at": at,
        "request_id": "r",
        "operation": "predict",
        "caller_account_id": payer,
        "payer_account_id": payer,
        "payer_key_id": 7,
        "model_account_id": owner,
        "model_id": 20,
        "model_name": "ner",
        "instance_id": 3,
        "billing_unit": "calls",
        "units": 1,
        "unit_price_nano": amount,
        "amount_nano": amount,
        "currency": "RUBLE",
        "reservation_id": None,
        "model_time_ms": 5,
    }
    return UsageRecorded.model_validate(fields | more)


@pytest.fixture
async def urls(database_factory: DatabaseFactory) -> ServiceDatabase:
    return await database_factory("mlpbilling", MIGRATIONS)


@pytest.fixture
async def state(urls: ServiceDatabase, clock: ManualClock) -> AsyncGenerator[BillingState]:
    database = opened_database(urls.service_url)
    settings = MlpbillingSettings(database_url=urls.service_url, welcome_bonus=Decimal("12.5"))
    yield BillingState(settings=settings, database=database, clock=clock, people=SomePeople())
    await database.close()


@pytest.fixture
def harness(state: BillingState) -> Harness:
    return Harness(state)


@pytest.fixture
def app(state: BillingState, identities: Identities) -> FastAPI:
    build = partial(shared_app, SERVICE.build_app)
    return SERVICE.assemble(state, identities.authenticator, identities, build=build)


@pytest.fixture
async def client(app: FastAPI) -> AsyncGenerator[httpx.AsyncClient]:
    async with client_for(app) as opened:
        yield opened
