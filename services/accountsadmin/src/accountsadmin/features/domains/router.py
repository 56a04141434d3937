from typing import Annotated

from fastapi import APIRouter, Depends

from accountsadmin.features.domains.schemas import DomainsInput, PublicOptions
from accountsadmin.unit_of_work import WorkDep
from mlplace_runtime.web.policy import Access, Public, Superadmin

router = APIRouter(prefix="/api/accountsadmin", tags=["domains"])


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
