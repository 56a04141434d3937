from typing import Annotated

from fastapi import APIRouter, Depends

from accountsadmin.features.domains.dependencies import DomainsDep
from accountsadmin.features.domains.schemas import DomainsInput, PublicOptions
from mlplace_contracts.internal.redirects import RedirectAnswer, RedirectQuestion
from mlplace_runtime.web.policy import Access, Internal, Public, Superadmin

router = APIRouter(prefix="/api/accountsadmin", tags=["domains"])
internal_router = APIRouter(
    prefix="/internal/accountsadmin", include_in_schema=False, dependencies=[Depends(Internal())]
)


@router.get("/public/options", dependencies=[Depends(Public())])
async def get_public_options(domains: DomainsDep) -> PublicOptions:
    return await domains.options()


@router.get("/admin/domains", dependencies=[Depends(Superadmin())])
async def list_domains(domains: DomainsDep) -> PublicOptions:
    return await domains.options()


@router.put("/admin/domains")
async def replace_domains(
    access: Annotated[Access, Depends(Superadmin())], domains: DomainsDep, body: DomainsInput
) -> PublicOptions:
    return await domains.replace(domains=body.domains, actor=access.principal.user_id)


@internal_router.post("/redirects/check")
async def check_redirect(body: RedirectQuestion, domains: DomainsDep) -> RedirectAnswer:
    return RedirectAnswer(allowed=await domains.may_redirect(url=body.url, host=body.host))
