from typing import Annotated

from fastapi import Depends

from accountsadmin.features.accounts.dependencies import accounts_of
from accountsadmin.features.domains.dependencies import domains_of
from accountsadmin.features.memberships.dependencies import memberships_of
from accountsadmin.features.selection.service import AccountSelection
from accountsadmin.features.users.dependencies import users_of
from accountsadmin.unit_of_work import WorkDep


def selection_of(work: WorkDep) -> AccountSelection:
    return AccountSelection(
        domains=domains_of(work), users=users_of(work), accounts=accounts_of(work), memberships=memberships_of(work)
    )


SelectionDep = Annotated[AccountSelection, Depends(selection_of)]
