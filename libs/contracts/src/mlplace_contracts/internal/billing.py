"""Reservations: how a gate may let calls run before their price is posted.

`POST /internal/mlpbilling/reservations` holds money (and free units of a model) for a gate; usage events that name the
reservation settle against it; `POST /internal/mlpbilling/reservations/{id}/release` gives the rest back; an open
reservation expires by itself.
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
    """`minimum_nano` is what one call needs now; `wanted_nano` what the gate would like to hold for the calls to come.

    `model_id` names whose free units may serve instead of money (`wanted_free_units`, at most the month's rest).
    With `recall`, what is not there but held is called back, and the grant is empty: the gate asks again.
    `for_answer`: a call that was answered costs more than is held for it; nothing is kept back for other gates.
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
    """What was granted. The gate stops using it at `usable_until`; billing frees what is left at `expires_at`.

    `granted_nano` may be below `wanted_nano` but never below `minimum_nano` unless `granted_free_units` is positive, or
    both are 0: then there is no reservation, but there may be one in a moment (see `ReserveRequest.recall`).
    """

    reservation_id: uuid.UUID
    granted_nano: NanoAmount
    granted_free_units: Annotated[int, Field(ge=0)]
    usable_until: datetime
    expires_at: datetime


class ReleaseRequest(InternalModel):
    """`spent_*`: what usage that is written down has claimed or will claim. `in_progress_*`: what calls may still claim
    beyond that. The latter stays held until the answer's `expires_at` only, so the gate repeats it while they go on.
    """

    spent_nano: NanoAmount
    spent_free_units: Annotated[int, Field(ge=0)]
    in_progress_nano: NanoAmount = 0
    in_progress_free_units: Annotated[int, Field(ge=0)] = 0


class KeySpendingRequest(InternalModel):
    """`POST /internal/mlpbilling/usage/key-spending`: what calls that a key paid for have cost. None: any currency."""

    payer_account_id: int
    key_id: int
    currency: Currency | None
    since: Moment


class KeySpending(InternalModel):
    """After free units. Usage that is still on its way is not in it."""

    spent_nano: int
