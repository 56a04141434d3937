from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import PlainTextResponse

from mlpgateway.features.system.schemas import VersionData
from mlpgateway.settings import MlpgatewaySettings
from mlpgateway.state import provided
from mlplace_runtime.process.versions import installed_version
from mlplace_runtime.web.policy import Public

router = APIRouter(prefix="/api/mlpgateway", tags=["system"])
SettingsDep = Annotated[MlpgatewaySettings, Depends(provided(MlpgatewaySettings))]


@router.get("/version", dependencies=[Depends(Public())])
async def get_version(settings: SettingsDep) -> VersionData:
    """Returns the build. Without build settings, the build number is the package's version."""
    return VersionData(
        build_number=settings.build_number or installed_version("mlplace-mlpgateway"),
        build_date=settings.build_date,
        build_branch=settings.build_branch,
    )


@router.get("/gate.proto", dependencies=[Depends(Public())], response_class=PlainTextResponse)
async def get_gate_proto() -> PlainTextResponse:
    """Returns the protocol between gates, instances and callers, for code generation."""
    text = (files("mlplace_gateproto") / "gate.proto").read_text(encoding="utf-8")
    return PlainTextResponse(text, headers={"Content-Disposition": 'attachment; filename="gate.proto"'})
