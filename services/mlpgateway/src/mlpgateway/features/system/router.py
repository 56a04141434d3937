from importlib.metadata import version

from fastapi import APIRouter, Depends

from mlpgateway.features.system.schemas import VersionData
from mlpgateway.state import StateDep
from mlplace_runtime.web.policy import Public

router = APIRouter(prefix="/api/mlpgateway", tags=["system"])


@router.get("/version", dependencies=[Depends(Public())])
async def get_version(state: StateDep) -> VersionData:
    """Where the build says nothing, its number is the package's version."""
    return VersionData(
        build_number=state.settings.build_number or version("mlplace-mlpgateway"),
        build_date=state.settings.build_date,
        build_branch=state.settings.build_branch,
    )
