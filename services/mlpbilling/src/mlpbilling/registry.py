"""All parts of mlpbilling as explicit lists; nothing is found by scanning."""

from collections.abc import Callable

from fastapi import APIRouter

from mlpbilling.features.balances.router import router as balances_router
from mlpbilling.features.charges.consumers import usage_consumer
from mlpbilling.features.directory import tables as directory_tables
from mlpbilling.features.directory.consumers import directory_consumer
from mlpbilling.features.ledger import tables as ledger_tables
from mlpbilling.features.ledger.consumers import limits_consumer
from mlpbilling.features.ledger.loops import check_debts
from mlpbilling.features.payments import tables as payment_tables
from mlpbilling.features.payments.loops import check_due_payments
from mlpbilling.features.payments.router import router as payments_router
from mlpbilling.features.refill_history.router import router as refill_history_router
from mlpbilling.features.refills import tables as refill_tables
from mlpbilling.features.refills.router import router as refills_router
from mlpbilling.features.rents import tables as rent_tables
from mlpbilling.features.rents.consumers import rents_consumer
from mlpbilling.features.rents.loops import charge_rents
from mlpbilling.features.rents.router import router as rents_router
from mlpbilling.features.reservations import tables as reservation_tables
from mlpbilling.features.reservations.loops import check_ended
from mlpbilling.features.reservations.router import router as reservations_router
from mlpbilling.features.sandbox import tables as sandbox_tables
from mlpbilling.features.sandbox.router import router as sandbox_router
from mlpbilling.features.statements.router import router as statements_router
from mlpbilling.features.system.router import router as system_router
from mlpbilling.features.usage import tables as usage_tables
from mlpbilling.features.usage.router import internal_router as internal_usage_router
from mlpbilling.features.usage.router import router as usage_router
from mlpbilling.features.verification.loops import verify_and_report
from mlpbilling.features.verification.router import internal_router as internal_verification_router
from mlpbilling.features.verification.router import router as verification_router
from mlpbilling.features.welcome import tables as welcome_tables
from mlpbilling.features.welcome.router import router as welcome_router
from mlpbilling.state import BillingState
from mlpbilling.tables import Base
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.tasks import Loop, every

TABLES = (
    directory_tables,
    ledger_tables,
    payment_tables,
    refill_tables,
    rent_tables,
    reservation_tables,
    sandbox_tables,
    usage_tables,
    welcome_tables,
)
METADATA = Base.metadata

ROUTERS: list[APIRouter] = [
    balances_router,
    usage_router,
    rents_router,
    statements_router,
    welcome_router,
    refills_router,
    refill_history_router,
    payments_router,
    sandbox_router,
    system_router,
    reservations_router,
    verification_router,
    internal_verification_router,
    internal_usage_router,
]

CONSUMERS: list[Callable[[BillingState], Consumer]] = [
    usage_consumer,
    limits_consumer,
    directory_consumer,
    rents_consumer,
]


def consumers(state: BillingState) -> list[Consumer]:
    return [make(state) for make in CONSUMERS]


def loops(state: BillingState) -> list[Loop]:
    settings = state.settings

    async def verify_once() -> None:
        async with state.database.transaction() as session:
            await verify_and_report(session)

    provider = state.provider
    payments = (
        [
            Loop(
                "payments",
                lambda: every(settings.payment_interval_seconds, lambda: check_due_payments(state, provider)),
            )
        ]
        if provider
        else []
    )
    return [
        *payments,
        Loop(
            "reservation-expiry",
            lambda: every(settings.expiry_interval_seconds, lambda: check_ended(state)),
        ),
        Loop("rents", lambda: every(settings.rents_interval_seconds, lambda: charge_rents(state))),
        Loop("debts", lambda: every(settings.debts_interval_seconds, lambda: check_debts(state))),
        Loop("ledger-verification", lambda: every(settings.verification_interval_seconds, verify_once)),
    ]
