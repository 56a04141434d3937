import uuid
from collections.abc import Iterable, Sequence

from mlpbilling.features.charges.ports import ChargedUsage, MaxPrices
from mlpbilling.features.charges.pricing import billable, bounded, charge_of
from mlpbilling.features.ledger.changes import LedgerChanges
from mlpbilling.features.ledger.charging import Sale, post_sale
from mlpbilling.features.ledger.entries import TransactionKind
from mlpbilling.features.ledger.service import Ledger
from mlpbilling.features.reservations.service import ReservationService
from mlpbilling.features.reservations.settling import ReservationSettlement
from mlpbilling.features.usage.rows import UsageRow
from mlplace_contracts.events import UsageRecorded
from mlplace_kit.pricing import NOTHING, Charge


class ChargeService:
    """Charges usage. The usage id ensures that each usage is charged once, even if it is delivered twice."""

    def __init__(
        self,
        ledger: Ledger,
        reservations: ReservationService,
        usages: ChargedUsage,
        prices: MaxPrices,
        commission_basis_points: int,
    ) -> None:
        self._ledger = ledger
        self._reservations = reservations
        self._usages = usages
        self._prices = prices
        self._commission = commission_basis_points

    async def charge(self, *, usages: Sequence[UsageRecorded]) -> None:
        """Raises ImplausibleUsageError, BalanceTooLarge. Charging the usages one by one then finds the bad one."""
        unique = {usage.usage_id: usage for usage in usages}
        # Lock the payers first: afterwards, what another consumer has charged is visible.
        changes = await self._ledger.lock_accounts(_involved(unique.values()))
        known = await self._usages.known(unique)
        fresh = [usage for usage in unique.values() if usage.usage_id not in known]
        settling = await self._reservations.settling({u.reservation_id for u in fresh if u.reservation_id})
        prices = await self._prices.known({usage.model_id for usage in fresh if not usage.billing_unit.known_before})
        rows = [
            self._charge_one(bounded(usage, prices.get(usage.model_id), self._prices.default_nano), changes, settling)
            for usage in fresh
        ]
        await self._usages.add(rows)
        await self._reservations.store(settling)
        await self._ledger.store_changes(changes)

    def _charge_one(self, usage: UsageRecorded, changes: LedgerChanges, settling: ReservationSettlement) -> UsageRow:
        if not billable(usage):
            return UsageRow(usage, NOTHING.free_units, NOTHING.charged_nano, NOTHING.fee_nano, None)
        currency = usage.currency
        row = settling.find(
            usage.reservation_id,
            payer_account_id=usage.payer_account_id,
            model_id=usage.model_id,
            currency=currency,
        )
        charge = charge_of(
            usage,
            free_units_left=row.held_free_units if row else 0,
            commission_basis_points=self._commission,
        )
        if row:
            taken = settling.settle(row, charged_nano=charge.charged_nano, free_units=charge.free_units)
            changes.hold(usage.payer_account_id, currency, -taken)
        transaction_id = _post(usage, charge, changes) if charge.charged_nano else None
        return UsageRow(usage, charge.free_units, charge.charged_nano, charge.fee_nano, transaction_id)


def _involved(usages: Iterable[UsageRecorded]) -> set[int]:
    return {
        account_id
        for usage in usages
        if billable(usage)
        for account_id in (usage.payer_account_id, usage.model_account_id)
    }


def _post(usage: UsageRecorded, charge: Charge, changes: LedgerChanges) -> uuid.UUID:
    return post_sale(
        changes,
        Sale(
            kind=TransactionKind.CHARGE,
            idempotency_key=f"usage:{usage.usage_id}",
            occurred_at=usage.occurred_at,
            source_id=usage.usage_id,
            payer_account_id=usage.payer_account_id,
            owner_account_id=usage.model_account_id,
            currency=usage.currency,
            price_nano=charge.charged_nano,
            fee_nano=charge.fee_nano,
        ),
    )
