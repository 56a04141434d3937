from typing import Annotated

from fastapi import Depends

from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.domains.repository import DomainRepository
from accountsadmin.features.domains.service import DomainService
from accountsadmin.unit_of_work import WorkDep


def domains_of(work: WorkDep) -> DomainService:
    return DomainService(
        repository=DomainRepository(work.session),
        audit=audit_of(work),
        host=work.origin.host,
        secure=work.resources.secure,
        public_url=work.resources.settings.public_url,
        mail_available=work.resources.mailer is not None,
    )


DomainsDep = Annotated[DomainService, Depends(domains_of)]
