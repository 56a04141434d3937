"""Checks the licence before models are created and instances are started."""

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.errors import LicenseLimitExceeded
from mlpcore.features.license.repository import LicenseRepository
from mlpcore.licensing.standing import LicenseState
from mlpcore.state import CoreState


class LicenseGuard:
    """Implements LicensePolicy. Counts the usage for each check, because the hourly standing may be out of date."""

    def __init__(self, session: AsyncSession, state: CoreState) -> None:
        self._repository = LicenseRepository(session)
        self._state = state

    async def demand_new_service(self) -> None:
        """Raises LicenseLimitExceeded."""
        standing = await self._demand()
        if standing and standing.terms and standing.terms.allowed_to_develop is False:
            raise LicenseLimitExceeded(reason="it does not include own services", why="own_services")

    async def demand_start(self) -> None:
        """Raises LicenseLimitExceeded."""
        await self._demand()

    async def _demand(self) -> LicenseState | None:
        watch, now = self._state.license, self._state.clock.now()
        known = watch.standing
        if known is None:
            return None
        if known.expired_or_invalid(now):
            raise LicenseLimitExceeded(reason="it has expired or is not valid", why="expired")
        standing = LicenseState(known.terms, await self._repository.usage(), known.excess_since, known.dashboard_url)
        if standing.hard_exceeded(now):
            raise LicenseLimitExceeded(reason="the usage is far above its limits", why="usage")
        return standing
