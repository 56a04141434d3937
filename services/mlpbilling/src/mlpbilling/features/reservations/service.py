import uuid
from collections.abc import Collection
from datetime import datetime, timedelta

from mlpbilling.features.ledger.changes import AccountBalances, LedgerChanges
from mlpbilling.features.ledger.service import Ledger
from mlpbilling.features.reservations.errors import ReservationChanged
from mlpbilling.features.reservations.granting import Grant, grant
from mlpbilling.features.reservations.repository import FreeUnitsKey, ReservationRepository
from mlpbilling.features.reservations.settling import ReservationSettlement
from mlpbilling.features.reservations.tables import ReservationRow
from mlpbilling.settings import MlpbillingSettings
from mlplace_contracts.internal.billing import ReleaseRequest, Reservation, ReserveRequest
from mlplace_contracts.internal.billing_refusals import AccountBlocked, InsufficientFunds
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound
from mlplace_kit.money import MAX_NANO, Currency, to_nano

_KEPT = timedelta(days=2)
_BATCH = 500


class ReservationService:
    def __init__(
        self, ledger: Ledger, repository: ReservationRepository, settings: MlpbillingSettings, clock: Clock
    ) -> None:
        self._ledger = ledger
        self._repository = repository
        self._settings = settings
        self._clock = clock

    async def reserve(self, *, request: ReserveRequest) -> Reservation:
        """Reserves money. Once money was granted, a repeated request gets the same answer.

        Raises AccountBlocked, InsufficientFunds, and ReservationChanged for a known id with different parameters.
        """
        changes = await self._ledger.lock_accounts([request.payer_account_id])
        row = await self._repository.find(request.reservation_id)
        if row is None:
            try:
                row = await self._new_row(request, changes.accounts[request.payer_account_id])
            except InsufficientFunds:
                return await self._call_back(request, changes)
            changes.hold(request.payer_account_id, Currency(request.currency), row.held_nano)
            await self._repository.add(row)
            await self._ledger.store_changes(changes)
        elif not _same_request(row, request):
            raise ReservationChanged
        return _answer(row, row.granted_nano, row.granted_free_units)

    async def _call_back(self, request: ReserveRequest, changes: LedgerChanges) -> Reservation:
        """Grants nothing and asks gates to return unused money, which may be free soon. Raises InsufficientFunds."""
        currency = Currency(request.currency)
        if not request.recall or not changes.balances(request.payer_account_id, currency).held_nano:
            raise InsufficientFunds
        changes.want_unused(request.payer_account_id, currency)
        await self._ledger.store_changes(changes)
        now = self._clock.now()
        return Reservation(
            reservation_id=request.reservation_id,
            granted_nano=0,
            granted_free_units=0,
            usable_until=now,
            expires_at=now,
        )

    async def _new_row(self, request: ReserveRequest, account: AccountBalances) -> ReservationRow:
        now = self._clock.now()
        key = FreeUnitsKey(request.payer_account_id, request.model_id, now.date().replace(day=1))
        granted = await self._grant(request, account, key)
        if granted.free_units:
            await self._repository.hold_free_units(key, granted.free_units)
        return ReservationRow(
            **request.model_dump(exclude={"free_unit_quota", "wanted_free_units", "recall", "for_answer"}),
            free_unit_quota=min(request.free_unit_quota, MAX_NANO),
            wanted_free_units=min(request.wanted_free_units, MAX_NANO),
            month=key.month,
            granted_nano=granted.money_nano,
            granted_free_units=granted.free_units,
            held_nano=granted.money_nano,
            held_free_units=granted.free_units,
            settled_nano=0,
            settled_free_units=0,
            spent_nano=0,
            spent_free_units=0,
            created_at=now,
            usable_until=now + self._settings.usable_for,
            ends_at=now + self._settings.expires_after,
        )

    async def _grant(self, request: ReserveRequest, account: AccountBalances, key: FreeUnitsKey) -> Grant:
        if account.blocked:
            raise AccountBlocked
        credit = to_nano(self._settings.credit_limit) if account.no_blocking else 0
        quota = min(request.free_unit_quota, MAX_NANO)
        wants_free = quota > 0 and request.wanted_free_units > 0
        granted = grant(
            available_nano=account.of(Currency(request.currency)).available_nano + credit,
            minimum_nano=request.minimum_nano,
            wanted_nano=request.wanted_nano,
            free_left=quota - await self._repository.free_units_taken(key) if wants_free else 0,
            wanted_free_units=request.wanted_free_units,
            for_answer=request.for_answer,
        )
        if granted is None:
            raise InsufficientFunds
        return granted

    async def release(self, *, reservation_id: uuid.UUID, request: ReleaseRequest) -> Reservation:
        """Frees what the gate has not spent. What it has spent stays held until its usage arrives, or for
        `settle_hours`.

        What calls in progress may still spend stays held until the answer's `expires_at`, in case the gate dies and
        never reports them. If not all of it is held, because the reservation had expired or calls cost more than was
        held, `expires_at` is now. The answer's grants are what is still held. Raises NotFound.
        """
        known = await self._repository.find(reservation_id)
        if known is None:
            raise NotFound(entity="reservation")
        changes = await self._ledger.lock_accounts([known.payer_account_id])
        row = await self._repository.find(reservation_id) or known
        settling = ReservationSettlement({})
        row.spent_nano, row.spent_free_units = request.spent_nano, request.spent_free_units
        keep_nano = row.spent_nano + request.in_progress_nano - row.settled_nano
        keep_free_units = row.spent_free_units + request.in_progress_free_units - row.settled_free_units
        in_progress, now = bool(request.in_progress_nano or request.in_progress_free_units), self._clock.now()
        freed = settling.end(row, keep_nano=keep_nano, keep_free_units=keep_free_units)
        if row.held_nano or row.held_free_units:
            row.ends_at = now + self._settings.expires_after if in_progress else self._settled_by(row)
        missing = row.held_nano < keep_nano or row.held_free_units < keep_free_units
        changes.hold(row.payer_account_id, Currency(row.currency), -freed)
        await self.store(settling)
        await self._ledger.store_changes(changes)
        answer = _answer(row, row.held_nano, row.held_free_units)
        return answer.model_copy(update={"expires_at": now}) if in_progress and missing else answer

    async def expire(self) -> int:
        """Ends reservations whose time is over. Returns their number, at most one batch."""
        now = self._clock.now()
        ended = await self._repository.ended(now, limit=_BATCH)
        if not ended:
            return 0
        changes = await self._ledger.lock_accounts({payer for _, payer in ended})
        rows = await self._repository.find_all([reservation_id for reservation_id, _ in ended])
        settling = ReservationSettlement({})
        for row in rows.values():
            if row.ends_at <= now:  # a release may have postponed the end meanwhile
                freed = self._expire(row, settling, now)
                changes.hold(row.payer_account_id, Currency(row.currency), -freed)
        await self.store(settling)
        await self._ledger.store_changes(changes)
        return len(rows)

    def _expire(self, row: ReservationRow, settling: ReservationSettlement, now: datetime) -> int:
        """Gives up calls that were in progress. What the gate reported as spent stays held for its usage."""
        settled_by = self._settled_by(row)
        if now >= settled_by:
            return settling.end(row, keep_nano=0, keep_free_units=0)
        row.ends_at = settled_by
        return settling.end(
            row,
            keep_nano=row.spent_nano - row.settled_nano,
            keep_free_units=row.spent_free_units - row.settled_free_units,
        )

    def _settled_by(self, row: ReservationRow) -> datetime:
        return row.usable_until + self._settings.settles_within

    async def forget_old(self) -> int:
        """Deletes reservations that nothing can refer to any more. Returns their number, at most one batch."""
        return await self._repository.forget(
            created_before=oldest_kept(self._clock.now(), self._settings), limit=_BATCH
        )

    async def settling(self, reservation_ids: Collection[uuid.UUID]) -> ReservationSettlement:
        """Returns the reservations for charging, after the payers were locked. Finish with `store`."""
        return ReservationSettlement(await self._repository.find_all(reservation_ids) if reservation_ids else {})

    async def store(self, settling: ReservationSettlement) -> None:
        await self._repository.flush()
        await self._repository.change_free_units(settling.free_unit_changes)


def oldest_kept(now: datetime, settings: MlpbillingSettings) -> datetime:
    """Reservations made before this can be forgotten, once they hold nothing."""
    return now - max(_KEPT, settings.settles_within)


def _same_request(row: ReservationRow, request: ReserveRequest) -> bool:
    wishes = request.model_dump(exclude={"gate", "free_unit_quota", "wanted_free_units", "recall", "for_answer"})
    return all(getattr(row, name) == value for name, value in wishes.items())


def _answer(row: ReservationRow, money_nano: int, free_units: int) -> Reservation:
    return Reservation(
        reservation_id=row.reservation_id,
        granted_nano=money_nano,
        granted_free_units=free_units,
        usable_until=row.usable_until,
        expires_at=row.ends_at,
    )
