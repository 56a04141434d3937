from importlib.metadata import version
from importlib.resources import files

from fastapi import APIRouter, Depends
from fastapi.responses import PlainTextResponse

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


@router.get("/gate.proto", dependencies=[Depends(Public())], response_class=PlainTextResponse)
async def get_gate_proto() -> PlainTextResponse:
    """The protocol between gates, instances and callers, for generating code."""
    text = (files("mlplace_gateproto") / "gate.proto").read_text(encoding="utf-8")
    return PlainTextResponse(text, headers={"Content-Disposition": 'attachment; filename="gate.proto"'})
