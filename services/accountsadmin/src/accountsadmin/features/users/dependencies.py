from typing import Annotated

from fastapi import Depends

from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.sessions.dependencies import sessions_of
from accountsadmin.features.users.administration import UserAdministration
from accountsadmin.features.users.people import People
from accountsadmin.features.users.repository import UserRepository
from accountsadmin.features.users.service import UserService
from accountsadmin.features.users.superadmins import Superadmins
from accountsadmin.unit_of_work import UnitOfWork, WorkDep


def users_of(work: WorkDep) -> UserService:
    return UserService(repository=UserRepository(work.session), outbox=work.outbox, clock=work.clock)


def people_of(work: WorkDep) -> People:
    resources = work.resources
    return People(users=users_of(work), hasher=resources.hasher, mail_available=resources.mailer is not None)


def user_administration_of(work: WorkDep) -> UserAdministration:
    return UserAdministration(users=users_of(work), sessions=sessions_of(work), audit=audit_of(work))


def superadmins_of(work: UnitOfWork) -> Superadmins:
    return Superadmins(users=users_of(work), administration=user_administration_of(work))


UsersDep = Annotated[UserService, Depends(users_of)]
PeopleDep = Annotated[People, Depends(people_of)]
UserAdministrationDep = Annotated[UserAdministration, Depends(user_administration_of)]
