from accountsadmin.paths import Id
from mlplace_kit.wire import Input, Output


class UserData(Output):
    """Who is signed in, with which account.

    `permissions` are the user's own and those that the roles in the account give. `accountId` is null only for internal
    users, who may work without an account where the domain allows it.
    """

    features: list[str]
    permissions: list[str]
    login: str
    user_id: int
    account_id: int | None
    internal: bool
    account_owner: bool


class SignedInPerson(Output):
    """Who is signed in, whether or not an account is chosen: without one, check-authorized refuses."""

    user_id: int
    login: str


class AllowedAccount(Output):
    id: int
    name: str
    available_to_select: bool


class SelectAccountInput(Input):
    account_id: Id
