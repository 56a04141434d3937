from fastapi import APIRouter, Depends

from mlpcore.features.license.dependencies import LicenseOverviewDep
from mlpcore.features.license.schemas import LicenseOverviewData
from mlplace_runtime.web.policy import Superadmin

router = APIRouter(prefix="/api/mlpcore/admin", tags=["admin-endpoint"], dependencies=[Depends(Superadmin())])


@router.get("/license")
async def get_license(overview: LicenseOverviewDep) -> LicenseOverviewData:
    """Returns the licence of the installation, its limits, and what is used of them now."""
    return await overview.read()
