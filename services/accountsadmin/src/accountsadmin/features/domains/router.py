from typing import Annotated

from fastapi import APIRouter, Depends

from accountsadmin.features.domains.schemas import DomainsInput, PublicOptions
from accountsadmin.unit_of_work import WorkDep
from mlplace_contracts.internal.redirects import RedirectAnswer, RedirectQuestion
from mlplace_runtime.web.policy import Access, Internal, Public, Superadmin

router = APIRouter(prefix="/api/accountsadmin", tags=["domains"])
internal_router = APIRouter(
    prefix="/internal/accountsadmin", include_in_schema=False, dependencies=[Depends(Internal())]
)


@router.get("/public/options", dependencies=[Depends(Public())])
async def get_public_options(work: WorkDep) -> PublicOptions:
    return await work.domains.options()


@router.get("/admin/domains", dependencies=[Depends(Superadmin())])
async def list_domains(work: WorkDep) -> PublicOptions:
    return await work.domains.options()


@router.put("/admin/domains")
async def replace_domains(
    access: Annotated[Access, Depends(Superadmin())], work: WorkDep, body: DomainsInput
) -> PublicOptions:
    return await work.domains.replace(domains=body.domains, actor=access.principal.user_id)


@internal_router.post("/redirects/check")
async def check_redirect(body: RedirectQuestion, work: WorkDep) -> RedirectAnswer:
    return RedirectAnswer(allowed=await work.domains.may_redirect(url=body.url, host=body.host))
