from datetime import datetime

from accountsadmin.features.memberships.schemas import Roles
from accountsadmin.logins import Email
from mlplace_contracts.enums import Role
from mlplace_kit.wire import Input, Output


class AccountInvitation(Output):
    id: int
    account_id: int
    account_name: str
    created_at: datetime


class SentInvitation(Output):
    id: int
    email: str
    roles: list[Role]
    created_at: datetime


class InvitationInput(Input):
    email: Email
    roles: Roles
