from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from mlpcore.features.team_requests.dependencies import TeamRequestServiceDep
from mlpcore.features.team_requests.schemas import (
    ContactRequestData,
    ManagementRequestData,
    PagedTeamRequests,
    TeamRequestData,
    TeamRequestState,
    TeamRequestUpdate,
)
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, Member, Public, Superadmin

router = APIRouter(prefix="/api/mlpcore", tags=["manual-management-endpoint"])
RequestId = Annotated[int, Path(alias="requestId", ge=1, le=2**62)]
FeatureName = Annotated[str, Path(alias="featureName", pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$")]


@router.post("/account/{account}/management/{featureName}", response_class=Response)
async def request_feature(
    request: Request,
    feature_name: FeatureName,
    body: ManagementRequestData,
    access: Annotated[Access, Depends(Member(KeyPermission.READ, keys=False))],
    service: TeamRequestServiceDep,
) -> Response:
    """Sends a request to the team, for a feature such as `model_admin` or a service such as `demo`."""
    await service.store(kind=feature_name, data=body, access=access, address=_address(request))
    return Response()


@router.post("/sendContactRequest", response_class=Response)
async def send_contact_request(
    request: Request,
    body: ContactRequestData,
    access: Annotated[Access, Depends(Public())],
    service: TeamRequestServiceDep,
) -> Response:
    await service.store(kind=body.kind, data=body, access=access, address=_address(request))
    return Response()


@router.get("/admin/team-requests", dependencies=[Depends(Superadmin())], tags=["admin-endpoint"])
async def get_team_requests(
    page: PageDep, service: TeamRequestServiceDep, state: TeamRequestState | None = None
) -> PagedTeamRequests:
    return await service.listed(page, state=state)


@router.get(
    "/admin/team-requests/{requestId}",  # noqa: FAST003  RequestId has the name
    dependencies=[Depends(Superadmin())],
    tags=["admin-endpoint"],
)
async def get_team_request(request_id: RequestId, service: TeamRequestServiceDep) -> TeamRequestData:
    return await service.read(request_id)


@router.put("/admin/team-requests/{requestId}", tags=["admin-endpoint"])
async def update_team_request(
    request_id: RequestId,
    body: TeamRequestUpdate,
    access: Annotated[Access, Depends(Superadmin())],
    service: TeamRequestServiceDep,
) -> TeamRequestData:
    """Answers a request, and closes it or opens it again. The account that asked gets the answer as a notification, the
    user who asked also by mail.
    """
    return await service.update(request_id, body, access=access)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
