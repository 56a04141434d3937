"""What mlpbilling is made of: explicit lists, nothing is found by scanning."""

from collections.abc import Callable

from fastapi import APIRouter

from mlpbilling.features.balances.router import router as balances_router
from mlpbilling.features.charges.consumers import usage_consumer
from mlpbilling.features.directory import tables as directory_tables
from mlpbilling.features.directory.consumers import directory_consumer
from mlpbilling.features.ledger import tables as ledger_tables
from mlpbilling.features.ledger.consumers import limits_consumer
from mlpbilling.features.ledger.jobs import pay_debts
from mlpbilling.features.refills import tables as refill_tables
from mlpbilling.features.refills.router import router as refills_router
from mlpbilling.features.reservations import tables as reservation_tables
from mlpbilling.features.reservations.jobs import end_reservations
from mlpbilling.features.reservations.router import router as reservations_router
from mlpbilling.features.system.router import router as system_router
from mlpbilling.features.usage import tables as usage_tables
from mlpbilling.features.usage.router import internal_router as internal_usage_router
from mlpbilling.features.usage.router import router as usage_router
from mlpbilling.features.verification.jobs import verify_and_report
from mlpbilling.features.verification.router import internal_router as internal_verification_router
from mlpbilling.features.verification.router import router as verification_router
from mlpbilling.state import BillingState
from mlpbilling.tables import Base
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.tasks import Loop, every

TABLES = (directory_tables, ledger_tables, refill_tables, reservation_tables, usage_tables)
METADATA = Base.metadata

ROUTERS: list[APIRouter] = [
    balances_router,
    usage_router,
    refills_router,
    system_router,
    reservations_router,
    verification_router,
    internal_verification_router,
    internal_usage_router,
]

CONSUMERS: list[Callable[[BillingState], Consumer]] = [usage_consumer, limits_consumer, directory_consumer]


def loops(state: BillingState) -> list[Loop]:
    settings = state.settings

    async def verify_once() -> None:
        async with state.database.transaction() as session:
            await verify_and_report(session)

    return [
        Loop(
            "reservation-expiry",
            lambda: every(settings.expiry_interval_seconds, lambda: end_reservations(state)),
        ),
        Loop("debts", lambda: every(settings.debts_interval_seconds, lambda: pay_debts(state))),
        Loop("ledger-verification", lambda: every(settings.verification_interval_seconds, verify_once)),
    ]
