from fastapi import APIRouter, Depends

from mlpbilling.features.system.schemas import VersionData
from mlpbilling.state import StateDep
from mlplace_runtime.process.versions import installed_version
from mlplace_runtime.web.policy import Public

router = APIRouter(prefix="/api/mlpbilling", tags=["system"])


@router.get("/version", dependencies=[Depends(Public())])
async def get_version(state: StateDep) -> VersionData:
    """Returns the version. Without a build number it is the package's version."""
    return VersionData(
        build_number=state.settings.build_number or installed_version("mlplace-mlpbilling"),
        build_date=state.settings.build_date,
        build_branch=state.settings.build_branch,
    )
