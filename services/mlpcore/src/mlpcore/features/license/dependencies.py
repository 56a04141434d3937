from typing import Annotated

from fastapi import Depends

from mlpcore.features.license.overview import LicenseOverview
from mlpcore.features.license.repository import LicenseRepository
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def license_overview(session: SessionDep, state: StateDep) -> LicenseOverview:
    return LicenseOverview(LicenseRepository(session), state.license, state.clock)


LicenseOverviewDep = Annotated[LicenseOverview, Depends(license_overview)]
