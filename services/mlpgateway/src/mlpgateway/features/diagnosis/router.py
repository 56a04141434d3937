"""For operators and tests: what this gate sees. Decisions are made from events, never from here."""

from fastapi import APIRouter, Depends

from mlpgateway.features.diagnosis.schemas import ConnectedInstanceData, GatesData
from mlpgateway.state import StateDep
from mlplace_runtime.web.policy import Internal

router = APIRouter(prefix="/internal/mlpgateway", dependencies=[Depends(Internal())], include_in_schema=False)


@router.get("/gates")
async def get_gates(state: StateDep) -> GatesData:
    members = await state.gates.members()
    return GatesData(own=state.address, active=list(members.active), retiring=list(members.retiring))


@router.get("/instances")
async def get_connected_instances(state: StateDep) -> list[ConnectedInstanceData]:
    """An instance appears once for each stream that it has to this gate."""
    return [ConnectedInstanceData.model_validate(link) for link in state.links.all()]
