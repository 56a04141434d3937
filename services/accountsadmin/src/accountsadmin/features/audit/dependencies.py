from typing import Annotated

from fastapi import Depends

from accountsadmin.features.audit.repository import AuditRepository
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.unit_of_work import WorkDep


def audit_of(work: WorkDep) -> AuditLog:
    return AuditLog(repository=AuditRepository(work.session), clock=work.clock, origin=work.origin)


AuditDep = Annotated[AuditLog, Depends(audit_of)]
