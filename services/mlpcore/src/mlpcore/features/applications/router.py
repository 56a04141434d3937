"""Web applications of models. The reverse proxy of an application asks `auth` about each request."""

from typing import Annotated

from fastapi import APIRouter, Cookie, Depends, Path, Response

from mlpcore.features.applications.schemas import ApplicationAccessData, ApplicationHealthData
from mlpcore.features.applications.service import ApplicationService
from mlpcore.features.models.dependencies import ModelReaderDep
from mlpcore.state import StateDep
from mlplace_kit.names import parse_ref
from mlplace_kit.passes import SECONDS
from mlplace_runtime.web.policy import Access, AccountPath, Public, SessionOnly

COOKIE = "MLP_APPLICATION"
router = APIRouter(prefix="/api/mlpcore/account/{account}/application/{application}", tags=["application-endpoint"])
ApplicationPath = Annotated[str, Path(description="model id, or name", max_length=64)]
Visitor = Annotated[Access, Depends(Public())]
# Keys get no pass: a pass does not carry a key's limits, and it can outlive the key.
Person = Annotated[Access, Depends(SessionOnly())]


def application_service(reader: ModelReaderDep, state: StateDep) -> ApplicationService:
    return ApplicationService(reader, state.hasher, state.clock)


ApplicationServiceDep = Annotated[ApplicationService, Depends(application_service)]


@router.get("/auth")
async def authorize_application(
    account: AccountPath,
    application: ApplicationPath,
    access: Visitor,
    service: ApplicationServiceDep,
    given: Annotated[str | None, Cookie(alias=COOKIE, max_length=512)] = None,
) -> ApplicationAccessData:
    visitor = await service.visitor(
        account=parse_ref(account), application=parse_ref(application), principal=access.principal, given=given
    )
    return ApplicationAccessData(account_id=visitor)


@router.get("/health")
async def check_application_is_alive(
    account: AccountPath, application: ApplicationPath, access: Visitor, service: ApplicationServiceDep
) -> ApplicationHealthData:
    alive = await service.is_alive(
        account=parse_ref(account), application=parse_ref(application), principal=access.principal
    )
    return ApplicationHealthData(alive=alive)


@router.get("/token")
async def ensure_application_token(
    account: AccountPath, application: ApplicationPath, access: Person, service: ApplicationServiceDep
) -> str:
    return await service.token(
        account=parse_ref(account), application=parse_ref(application), principal=access.principal
    )


@router.get("/set-cookie", response_class=Response)
async def set_application_cookie(
    account: AccountPath,
    application: ApplicationPath,
    access: Person,
    service: ApplicationServiceDep,
    state: StateDep,
) -> Response:
    """Sets the pass as a cookie for `auth`. Gates ignore cookies and do not forward them."""
    token = await service.token(
        account=parse_ref(account), application=parse_ref(application), principal=access.principal
    )
    answer = Response()
    secure = state.settings.public_rest_url.startswith("https://")
    answer.set_cookie(COOKIE, token, max_age=SECONDS, httponly=True, samesite="lax", secure=secure)
    return answer
