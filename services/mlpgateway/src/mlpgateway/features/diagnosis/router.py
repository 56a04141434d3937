"""For operators and tests: what this gate knows. Other services decide by events, never by these routes."""

from typing import Annotated

from fastapi import APIRouter, Depends

from mlpgateway.features.diagnosis.schemas import ConnectedInstanceData, GatesData
from mlpgateway.features.diagnosis.service import Diagnosis
from mlpgateway.state import provided
from mlplace_runtime.web.policy import Internal

router = APIRouter(prefix="/internal/mlpgateway", dependencies=[Depends(Internal())], include_in_schema=False)
DiagnosisDep = Annotated[Diagnosis, Depends(provided(Diagnosis))]


@router.get("/gates")
async def get_gates(diagnosis: DiagnosisDep) -> GatesData:
    members = await diagnosis.members()
    return GatesData(own=diagnosis.address, active=list(members.active), retiring=list(members.retiring))


@router.get("/instances")
async def get_connected_instances(diagnosis: DiagnosisDep) -> list[ConnectedInstanceData]:
    return [ConnectedInstanceData.model_validate(link) for link in diagnosis.streams()]
