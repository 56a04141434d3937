"""The gate's requests to mlpbilling."""

import uuid
from typing import Protocol

from mlplace_contracts.internal.billing import ReleaseRequest, Reservation, ReserveRequest
from mlplace_contracts.internal.billing_refusals import AccountBlocked, InsufficientFunds
from mlplace_kit.errors import DomainError, Unavailable
from mlplace_runtime.internal_client import InternalClient, RemoteRefusalError

_REFUSALS: dict[str, type[DomainError]] = {error.code: error for error in (AccountBlocked, InsufficientFunds)}


class Billing(Protocol):
    async def reserve(self, request: ReserveRequest) -> Reservation:
        """Reserves money. Raises InsufficientFunds, AccountBlocked; Unavailable when there is no answer."""
        ...

    async def release(self, reservation_id: uuid.UUID, account: ReleaseRequest) -> Reservation | None:
        """Reports what was spent and is in progress. May be repeated with other figures.

        Returns what is still held, None when mlpbilling does not know the reservation. Raises Unavailable.
        """
        ...


class RemoteBilling:
    """Satisfies Billing over the internal API."""

    def __init__(self, internal: InternalClient) -> None:
        self._internal = internal

    async def reserve(self, request: ReserveRequest) -> Reservation:
        try:
            return await self._post(request)
        except Unavailable:
            # The answer may have been lost. A repeated id returns the same reservation.
            return await self._post(request)

    async def _post(self, request: ReserveRequest) -> Reservation:
        try:
            return await self._internal.post("mlpbilling", "/reservations", request, Reservation)
        except RemoteRefusalError as refusal:
            raise _REFUSALS.get(refusal.code, Unavailable) from refusal

    async def release(self, reservation_id: uuid.UUID, account: ReleaseRequest) -> Reservation | None:
        try:
            path = f"/reservations/{reservation_id}/release"
            return await self._internal.post("mlpbilling", path, account, Reservation)
        except RemoteRefusalError as refusal:
            if refusal.status != 404:
                raise Unavailable from refusal
            return None
