from datetime import date
from typing import Annotated

from fastapi import Depends, Query

from mlpbilling.features.directory.repository import DirectoryRepository
from mlpbilling.features.statements.days import Days, days_of
from mlpbilling.features.statements.entries import CallFilter, EntryRepository, RentFilter
from mlpbilling.features.statements.repository import StatementRepository
from mlpbilling.features.statements.service import StatementReader
from mlpbilling.state import StateDep
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.dependencies import ClockDep, SessionDep


def statement_reader(session: SessionDep, state: StateDep) -> StatementReader:
    return StatementReader(
        StatementRepository(session),
        EntryRepository(session),
        DirectoryRepository(session),
        state.clock,
        state.settings.currency,
    )


StatementReaderDep = Annotated[StatementReader, Depends(statement_reader)]


def _days(
    clock: ClockDep,
    first: Annotated[date | None, Query(description="First day (UTC); 29 days before `last` by default")] = None,
    last: Annotated[date | None, Query(description="Last day (UTC), included; today by default")] = None,
) -> Days:
    return days_of(first, last, clock.now())


DaysDep = Annotated[Days, Depends(_days)]


def _call_filter(
    model_id: Annotated[int | None, Query(alias="modelId", ge=0, le=2**63 - 1)] = None,
    payer_account_id: Annotated[int | None, Query(alias="payerAccountId", ge=0, le=2**63 - 1)] = None,
    key_id: Annotated[
        int | None, Query(alias="keyId", ge=0, le=2**63 - 1, description="0: calls without an API key")
    ] = None,
) -> CallFilter:
    return CallFilter(model_id=model_id, payer_account_id=payer_account_id, key_id=key_id)


CallFilterDep = Annotated[CallFilter, Depends(_call_filter)]


def _rent_filter(
    source_type: Annotated[StoredText | None, Query(alias="sourceType", max_length=40)] = None,
    source_name: Annotated[StoredText | None, Query(alias="sourceName", max_length=400)] = None,
    owner_id: Annotated[int | None, Query(alias="ownerId", ge=0, le=2**63 - 1)] = None,
    payer_account_id: Annotated[int | None, Query(alias="payerAccountId", ge=0, le=2**63 - 1)] = None,
) -> RentFilter:
    return RentFilter(
        source_type=source_type, source_name=source_name, owner_account_id=owner_id, payer_account_id=payer_account_id
    )


RentFilterDep = Annotated[RentFilter, Depends(_rent_filter)]
