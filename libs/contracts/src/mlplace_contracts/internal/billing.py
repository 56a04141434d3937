"""Reservations: how a gate lets calls run before their price is posted.

`POST /internal/mlpbilling/reservations` holds money (and free units of a model) for a gate. Usage events that name the
reservation settle against it. `POST /internal/mlpbilling/reservations/{id}/release` returns the rest. An open
reservation expires at `expires_at`.
"""

import uuid
from datetime import datetime
from typing import Annotated

from pydantic import Field

from mlplace_contracts.internal.identity import InternalModel
from mlplace_contracts.moment import Moment
from mlplace_kit.money import Currency

NanoAmount = Annotated[int, Field(ge=0, lt=2**63)]


class ReserveRequest(InternalModel):
    """A request to hold money. `minimum_nano` is what one call needs now; `wanted_nano` is what the gate wants for the
    calls to come.

    Free units of the model `model_id` may serve instead of money: `wanted_free_units`, at most the rest of the month.
    With `recall`, billing asks other gates to return what they hold beyond the balance, grants nothing, and the gate
    asks again. `for_answer` says that an answered call costs more than is held for it: billing then keeps nothing back
    for other gates.
    """

    reservation_id: uuid.UUID
    gate: str
    payer_account_id: int
    model_account_id: int
    model_id: int
    currency: Currency
    minimum_nano: NanoAmount
    wanted_nano: NanoAmount
    free_unit_quota: Annotated[int, Field(ge=0)] = 0
    wanted_free_units: Annotated[int, Field(ge=0)] = 0
    recall: bool = False
    for_answer: bool = False


class Reservation(InternalModel):
    """The granted reservation. The gate stops using it at `usable_until`; billing frees the rest at `expires_at`.

    `granted_nano` may be less than `wanted_nano`. It is less than `minimum_nano` only if `granted_free_units` is
    positive, or if both are 0: then there is no reservation yet, but there may be one in a moment (see
    `ReserveRequest.recall`).
    """

    reservation_id: uuid.UUID
    granted_nano: NanoAmount
    granted_free_units: Annotated[int, Field(ge=0)]
    usable_until: datetime
    expires_at: datetime


class ReleaseRequest(InternalModel):
    """`spent_*` is what usage on disk has claimed or will claim. `in_progress_*` is what running calls may still claim
    beyond that. Billing holds the latter only until the `expires_at` of the answer, so the gate repeats the request
    while the calls run.
    """

    spent_nano: NanoAmount
    spent_free_units: Annotated[int, Field(ge=0)]
    in_progress_nano: NanoAmount = 0
    in_progress_free_units: Annotated[int, Field(ge=0)] = 0


class KeySpendingRequest(InternalModel):
    """`POST /internal/mlpbilling/usage/key-spending`: asks what the calls paid by a key have cost. A currency of None
    counts both.
    """

    payer_account_id: int
    key_id: int
    currency: Currency | None
    since: Moment


class KeySpending(InternalModel):
    """The cost after free units, without usage that has not reached billing yet."""

    spent_nano: int
