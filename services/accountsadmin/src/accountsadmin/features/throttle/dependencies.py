from typing import Annotated

from fastapi import Depends

from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.throttle.repository import AttemptsRepository
from accountsadmin.features.throttle.service import Throttle, ThrottleTerms
from accountsadmin.settings import AccountsadminSettings
from accountsadmin.unit_of_work import WorkDep


def throttle_of(work: WorkDep) -> Throttle:
    return Throttle(
        repository=AttemptsRepository(work.session),
        audit=audit_of(work),
        clock=work.clock,
        origin=work.origin,
        terms=_terms(work.resources.settings),
    )


def _terms(settings: AccountsadminSettings) -> ThrottleTerms:
    return ThrottleTerms(
        window=settings.attempts_window,
        longest_wait=settings.attempts_longest_wait,
        per_login=settings.attempts_per_login,
        per_login_everywhere=settings.attempts_per_login_everywhere,
        per_address=settings.attempts_per_address,
        registrations_per_address=settings.registrations_per_address,
        mails_per_login=settings.mails_per_login,
        mails_per_login_per_day=settings.mails_per_login_per_day,
        mails_per_address=settings.mails_per_address,
        invitations_per_account=settings.invitations_per_account,
    )


ThrottleDep = Annotated[Throttle, Depends(throttle_of)]
