from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from mlpcore.features.providers.hosting_server.dependencies import EnrolmentServiceDep, HeartbeatServiceDep
from mlpcore.features.providers.hosting_server.errors import ServerNotAuthorized
from mlpcore.features.providers.hosting_server.reports import MAX_BODY_BYTES, read_heartbeat
from mlpcore.features.providers.hosting_server.schemas import BootstrappedServer, BootstrapServer, EnrolData
from mlpcore.features.servers.dependencies import ServerServiceDep
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_contracts.internal.hosting import DesiredState, Enrolled
from mlplace_kit.errors import PayloadTooLarge
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.policy import Internal, OwnCredential

router = APIRouter(prefix="/api/mlpcore", tags=["hosting-server-endpoint"])
internal_router = APIRouter(
    prefix="/internal/mlpcore", tags=["internal"], dependencies=[Depends(Internal())], include_in_schema=False
)


@router.post("/hosting-server/enroll", dependencies=[Depends(OwnCredential("a one-time enrolment token"))])
async def enroll_hosting_server(body: EnrolData, service: EnrolmentServiceDep) -> Enrolled:
    return await service.enrol(token=body.token)


async def limited_body(request: Request) -> bytes:
    """Reads the body. Raises PayloadTooLarge before it holds more than MAX_BODY_BYTES and one chunk in memory."""
    received = bytearray()
    async for piece in request.stream():
        received += piece
        if len(received) > MAX_BODY_BYTES:
            raise PayloadTooLarge(limit=str(MAX_BODY_BYTES))
    return bytes(received)


async def bearer_secret(request: Request) -> str:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise ServerNotAuthorized
    return secret.strip()


@router.post(
    "/server-heartbeat",
    dependencies=[Depends(OwnCredential("a hosting server's secret"))],
    openapi_extra={"requestBody": {"content": {"application/json": {"schema": {"type": "string"}}}}},
)
async def server_heartbeat(
    account: Annotated[str, Query(max_length=64)],
    server_id: Annotated[int, Query(alias="serverId", ge=1, lt=2**63)],
    secret: Annotated[str, Depends(bearer_secret)],
    body: Annotated[bytes, Depends(limited_body)],
    service: HeartbeatServiceDep,
) -> DesiredState:
    account_id = await service.authorize(account=parse_ref(account), server_id=server_id, secret=secret)
    return await service.beat(account_id=account_id, server_id=server_id, heartbeat=read_heartbeat(body))


@internal_router.post("/bootstrap/server")
async def bootstrap_server(body: BootstrapServer, service: ServerServiceDep) -> BootstrappedServer:
    server, token = await service.bootstrap(
        account_id=SYSTEM_ACCOUNT, group=body.group_name, name=body.server_name, reissue=body.reissue
    )
    return BootstrappedServer(account_id=server.account_id, server_id=server.server_id, enrolment_token=token)
