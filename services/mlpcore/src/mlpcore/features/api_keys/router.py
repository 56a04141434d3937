"""API keys. Paths contain a key's id and never its secret, because paths end up in access logs."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from mlpcore.features.accounts.schemas import CallerInfo
from mlpcore.features.api_keys.dependencies import ApiKeyServiceDep, KeyResolverDep
from mlpcore.features.api_keys.schemas import AccessTokenCreateUpdateData, AccessTokenData
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_contracts.internal.identity import KeyIdentity, ResolveSecret
from mlplace_kit.errors import NotFound
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, Internal, Member, Superadmin

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["access-token-endpoint"])
admin_router = APIRouter(prefix="/api/mlpcore/admin", tags=["admin-endpoint"])
internal_router = APIRouter(
    prefix="/internal/mlpcore", tags=["internal"], dependencies=[Depends(Internal())], include_in_schema=False
)
Reader = Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.DEVELOPER))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


@router.get("/token")
async def list_access_tokens(access: Reader, service: ApiKeyServiceDep) -> list[AccessTokenData]:
    return await service.listed(account_id=access.account.account_id)


@router.post("/token")
async def create_access_token(
    access: Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER, narrows=True))],
    service: ApiKeyServiceDep,
    name: Annotated[StoredText | None, Query(max_length=128)] = None,
    body: AccessTokenCreateUpdateData | None = None,
) -> AccessTokenData:
    return await service.create(access=access, name=name, data=body or AccessTokenCreateUpdateData())


@router.get("/token/{token}")
async def check_access_token(token: ObjectId, access: Reader, service: ApiKeyServiceDep) -> AccessTokenData:
    return await service.read(account_id=access.account.account_id, key_id=token)


@router.put("/token/{token}")
async def update_access_token(
    token: ObjectId, body: AccessTokenCreateUpdateData, access: Writer, service: ApiKeyServiceDep
) -> AccessTokenData:
    return await service.update(access=access, key_id=token, data=body)


@router.delete("/token/{token}", response_class=Response)
async def delete_access_token(token: ObjectId, access: Writer, service: ApiKeyServiceDep) -> Response:
    await service.revoke(account_id=access.account.account_id, key_id=token)
    return Response()


@admin_router.get("/caller/info")
async def get_caller_info(
    access: Annotated[Access, Depends(Superadmin())],
    resolver: KeyResolverDep,
    token: Annotated[StoredText | None, Query(max_length=256)] = None,
) -> CallerInfo:
    """Returns the identity of an API key; without `token`, the caller's own."""
    if token is None:
        principal = access.principal
        return CallerInfo(
            account_id=access.grant.account_id if access.grant else None,
            user_id=str(principal.user_id),
            token_name=None,
            permissions=sorted(principal.user_permissions),
        )
    identity = await resolver.resolve(secret=token)
    if identity is None:
        raise NotFound(entity="API key")
    return CallerInfo(
        account_id=identity.account_id,
        user_id=None,
        token_name=identity.name,
        permissions=[permission.value for permission in identity.permissions],
    )


@internal_router.post("/keys/resolve")
async def resolve_key(body: ResolveSecret, resolver: KeyResolverDep) -> KeyIdentity | None:
    return await resolver.resolve(secret=body.secret)
