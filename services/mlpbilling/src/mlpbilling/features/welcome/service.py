"""The welcome bonus: once per person, with a limit per day."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from mlpbilling.features.refills.errors import WelcomeBonusTaken
from mlpbilling.features.refills.orders import RefillOrder, RefillSource
from mlpbilling.features.refills.service import RefillService
from mlpbilling.features.welcome.errors import (
    WelcomeBonusAddressLimit,
    WelcomeBonusDayLimit,
    WelcomeBonusOff,
    WelcomeBonusUnconfirmed,
)
from mlpbilling.features.welcome.repository import WelcomeRepository
from mlpbilling.features.welcome.schemas import WelcomeOffer
from mlpbilling.metrics import WELCOME_BONUSES
from mlplace_contracts.internal.people import PersonAnswer
from mlplace_kit.clock import Clock
from mlplace_kit.money import Currency, shown

_DAY = timedelta(days=1)
_KEPT = timedelta(days=3)
_ALL = ""


@dataclass(frozen=True, slots=True)
class WelcomeTerms:
    amount_nano: int
    currency: Currency
    per_address_per_day: int
    per_day: int

    @property
    def is_on(self) -> bool:
        return bool(self.amount_nano and self.per_day and self.per_address_per_day)

    def require_offer(self) -> None:
        """Raises WelcomeBonusOff if the installation gives no bonus."""
        if not self.is_on:
            raise WelcomeBonusOff


class WelcomeService:
    def __init__(
        self, repository: WelcomeRepository, refills: RefillService, terms: WelcomeTerms, clock: Clock
    ) -> None:
        self._repository = repository
        self._refills = refills
        self._terms = terms
        self._clock = clock

    async def offer(self, *, user_id: int) -> WelcomeOffer:
        """Returns what the user may ask for. Whether the person had it with another login shows only a claim."""
        offered = self._terms.is_on and not await self._refills.had_welcome_bonus(user_id=user_id)
        return WelcomeOffer(offered=offered, amount_currency=shown(self._terms.amount_nano) if offered else 0.0)

    async def give(self, *, account_id: int, user_id: int, person: PersonAnswer, address: str) -> None:
        """Gives the bonus into one account. A refusal rolls back what was counted before, so it uses up no limit.

        Raises WelcomeBonusUnconfirmed, WelcomeBonusTaken, WelcomeBonusAddressLimit, WelcomeBonusDayLimit.
        """
        if not person.confirmed:
            raise WelcomeBonusUnconfirmed
        now = self._clock.now()
        if await self._refills.had_welcome_bonus(user_id=user_id):
            raise WelcomeBonusTaken
        if not await self._repository.welcome(person=person.person, user_id=user_id, now=now):
            raise WelcomeBonusTaken
        await self._count(address, now)
        order = RefillOrder(
            account_id=account_id,
            source=RefillSource.WELCOME_BONUS,
            currency=self._terms.currency,
            amount_nano=self._terms.amount_nano,
            user_id=user_id,
        )
        await self._refills.refill(order=order)
        WELCOME_BONUSES.inc()

    async def _count(self, address: str, now: datetime) -> None:
        day = now.astimezone(UTC).date()
        tomorrow = datetime.combine(day, time(), UTC) + _DAY - now
        await self._repository.forget_days_before(day - _KEPT)
        if not await self._repository.count(day=day, subject=address, limit=self._terms.per_address_per_day):
            raise WelcomeBonusAddressLimit(tomorrow)
        if not await self._repository.count(day=day, subject=_ALL, limit=self._terms.per_day):
            raise WelcomeBonusDayLimit(tomorrow)
