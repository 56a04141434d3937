"""The licence and what is used of it, now."""

from dataclasses import replace

from mlpcore.features.license.repository import LicenseRepository
from mlpcore.features.license.schemas import LicenseOverviewData, LicenseUsageData
from mlpcore.licensing.watch import LicenseWatch
from mlplace_kit.clock import Clock


class LicenseOverview:
    def __init__(self, repository: LicenseRepository, watch: LicenseWatch, clock: Clock) -> None:
        self._repository = repository
        self._watch = watch
        self._clock = clock

    async def read(self) -> LicenseOverviewData:
        usage = await self._repository.usage()
        # The file was read up to an hour ago; the usage has changed since.
        standing = replace(self._watch.standing, usage=usage) if self._watch.standing else None
        terms = standing.terms if standing else None
        return LicenseOverviewData(
            required=self._watch.key is not None,
            customer=terms.customer if terms else None,
            license=standing.shown(self._clock.now()) if standing else None,
            usage=LicenseUsageData.model_validate(usage, from_attributes=True),
            grace_days=terms.grace_days if terms else None,
            hard_percent=terms.hard_percent if terms else None,
        )
