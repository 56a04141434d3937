from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.refills.dependencies import refills_of
from mlpbilling.features.welcome.repository import WelcomeRepository
from mlpbilling.features.welcome.service import WelcomeService, WelcomeTerms
from mlpbilling.state import BillingState
from mlplace_kit.money import to_nano


def terms_of(state: BillingState) -> WelcomeTerms:
    settings = state.settings
    return WelcomeTerms(
        amount_nano=to_nano(settings.welcome_bonus),
        currency=settings.currency,
        per_address_per_day=settings.welcome_bonus_per_address_per_day,
        per_day=settings.welcome_bonus_per_day,
    )


def welcome_of(session: AsyncSession, state: BillingState) -> WelcomeService:
    return WelcomeService(WelcomeRepository(session), refills_of(session, state), terms_of(state), state.clock)
