import uuid
from datetime import datetime

from mlpbilling.features.ledger.changes import LedgerChanges
from mlpbilling.features.ledger.charging import Sale, post_sale
from mlpbilling.features.ledger.entries import TransactionKind
from mlpbilling.features.ledger.service import Ledger
from mlpbilling.features.rents.periods import TarifficationPeriod, begun, end_of
from mlpbilling.features.rents.repository import RentRepository
from mlpbilling.features.rents.tables import Rent, RentCharge
from mlplace_contracts.events import RentChanged
from mlplace_kit.clock import Clock
from mlplace_kit.ids import new_event_id
from mlplace_kit.money import MAX_NANO, Currency

_BASIS = 10_000
_TERMS = ("price_nano", "currency", "period")


class ImplausibleRentError(ValueError):
    """mlpcore published invalid terms: a price must not be negative, and must fit 63 bits."""


class RentService:
    """Charges each period of a rent once, when it begins. The payer pays in advance, whatever the balance is."""

    def __init__(
        self, ledger: Ledger, repository: RentRepository, clock: Clock, *, commission_basis_points: int
    ) -> None:
        self._ledger = ledger
        self._repository = repository
        self._clock = clock
        self._commission = commission_basis_points

    async def learn(self, *, news: RentChanged) -> None:
        """Applies a rent that has begun, changed or ended. Raises ImplausibleRentError."""
        if not 0 <= news.price_nano <= MAX_NANO:
            raise ImplausibleRentError(f"rent {news.rent_id} has a price outside of 0..2^63-1")
        known = await self._repository.lock(news.rent_id)
        if known is None:
            await self._repository.store(_fresh(news))
            return
        if known.version >= news.version:
            return
        # Charge the time until the change by the former terms.
        await self._charge_until(known, news.changed_at)
        _take_terms(known, news)
        await self._repository.store(known)

    async def charge_due(self, *, rent_id: int) -> None:
        """Charges all periods that have begun."""
        rent = await self._repository.lock(rent_id)
        if rent:
            await self._charge_until(rent, self._clock.now())

    async def _charge_until(self, rent: Rent, moment: datetime) -> None:
        """Charges all periods that began by `moment` and before the rent's end, together."""
        period = TarifficationPeriod(rent.period)
        last = min(moment, rent.ended_at) if rent.ended_at else moment
        wanted = begun(rent.anchor_at, period, last)
        if rent.ended_at and rent.ended_at <= moment and end_of(rent.anchor_at, period, wanted - 1) == rent.ended_at:
            wanted -= 1  # a rent that ends together with a period begins no further one
        periods = wanted - rent.periods_paid
        if periods > 0:
            start, end = rent.paid_until, end_of(rent.anchor_at, period, wanted)
            await self._charge(rent, start, end, periods)
            rent.periods_paid, rent.paid_until = wanted, end
        rent.due = _is_due(rent)
        await self._repository.store(rent)

    async def _charge(self, rent: Rent, start: datetime, end: datetime, periods: int) -> None:
        amount = rent.price_nano * periods
        if not amount or rent.payer_account_id == rent.owner_account_id:
            return
        charge = RentCharge(
            charge_id=new_event_id(),
            rent_id=rent.rent_id,
            source_type=rent.source_type,
            source_name=rent.source_name,
            owner_account_id=rent.owner_account_id,
            payer_account_id=rent.payer_account_id,
            currency=rent.currency,
            period_start=start,
            period_end=end,
            periods=periods,
            charged_nano=amount,
            fee_nano=amount * self._commission // _BASIS,
            recorded_at=self._clock.now(),
        )
        changes = await self._ledger.lock_accounts({rent.payer_account_id, rent.owner_account_id})
        charge.transaction_id = _post(changes, charge)
        await self._repository.add_charge(charge)
        await self._ledger.store_changes(changes)


def _post(changes: LedgerChanges, charge: RentCharge) -> uuid.UUID:
    return post_sale(
        changes,
        Sale(
            kind=TransactionKind.RENT,
            idempotency_key=f"rent:{charge.rent_id}:{charge.period_start.isoformat()}",
            occurred_at=charge.period_start,
            source_id=charge.charge_id,
            payer_account_id=charge.payer_account_id,
            owner_account_id=charge.owner_account_id,
            currency=Currency(charge.currency),
            price_nano=charge.charged_nano,
            fee_nano=charge.fee_nano,
        ),
    )


def _fresh(news: RentChanged) -> Rent:
    names = ("rent_id", "version", "source_type", "source_name", "owner_account_id", "payer_account_id", *_TERMS)
    rent = Rent(**{name: getattr(news, name) for name in names})
    rent.anchor_at = rent.paid_until = news.started_at
    rent.periods_paid, rent.ended_at = 0, news.ended_at
    rent.due = _is_due(rent)
    return rent


def _take_terms(rent: Rent, news: RentChanged) -> None:
    """Applies new terms from the end of the paid time; a resumed rent applies them from its resumption if that is
    later.
    """
    if rent.ended_at and news.ended_at is None and rent.paid_until < news.changed_at:
        rent.anchor_at = rent.paid_until = news.changed_at
        rent.periods_paid = 0
    if any(getattr(rent, name) != getattr(news, name) for name in _TERMS):
        rent.anchor_at, rent.periods_paid = rent.paid_until, 0
    for name in ("version", "source_name", "ended_at", *_TERMS):
        setattr(rent, name, getattr(news, name))
    rent.due = _is_due(rent)


def _is_due(rent: Rent) -> bool:
    return rent.price_nano > 0 and (rent.ended_at is None or rent.paid_until < rent.ended_at)
