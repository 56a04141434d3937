from typing import Annotated

from fastapi import Depends

from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.sessions.repository import SessionRepository
from accountsadmin.features.sessions.service import SessionService, SessionTerms
from accountsadmin.unit_of_work import WorkDep


def sessions_of(work: WorkDep) -> SessionService:
    settings = work.resources.settings
    return SessionService(
        repository=SessionRepository(work.session),
        outbox=work.outbox,
        audit=audit_of(work),
        clock=work.clock,
        hasher=work.resources.hasher,
        origin=work.origin,
        terms=SessionTerms(idle=settings.session_idle, lifetime=settings.session_lifetime),
    )


SessionsDep = Annotated[SessionService, Depends(sessions_of)]
