"""All parts of this service as explicit lists."""

from collections.abc import Sequence

from fastapi import APIRouter

from accountsadmin.features.accounts import router as accounts
from accountsadmin.features.audit import router as audit
from accountsadmin.features.authorization import router as authorization
from accountsadmin.features.bootstrap import router as bootstrap
from accountsadmin.features.domains import router as domains
from accountsadmin.features.identity import router as identity
from accountsadmin.features.invitations import router as invitations
from accountsadmin.features.limits.consumers import account_limits
from accountsadmin.features.memberships import router as memberships
from accountsadmin.features.recovery import router as recovery
from accountsadmin.features.selection import router as selection
from accountsadmin.features.sessions import router as sessions
from accountsadmin.features.users import router as users
from accountsadmin.housekeeping import housekeeping
from accountsadmin.tables import Base
from accountsadmin.unit_of_work import Resources
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.tasks import Loop

METADATA = Base.metadata

ROUTERS: Sequence[APIRouter] = (
    authorization.router,
    recovery.router,
    selection.router,
    sessions.router,
    accounts.router,
    accounts.admin_router,
    memberships.router,
    invitations.router,
    invitations.owner_router,
    users.router,
    users.internal_router,
    domains.router,
    domains.internal_router,
    audit.router,
    identity.router,
    bootstrap.router,
)


CONSUMERS: Sequence[Consumer] = (account_limits(),)


def loops(resources: Resources) -> Sequence[Loop]:
    return (Loop("housekeeping", housekeeping(resources)),)
