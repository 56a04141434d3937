from accountsadmin.paths import Id
from mlplace_kit.wire import Input, Output


class UserData(Output):
    """The signed-in user and the selected account.

    `permissions` are the user's own and those implied by the roles in the account. `accountId` is null only for
    internal users, who may work without an account if the domain allows it.
    """

    features: list[str]
    permissions: list[str]
    login: str
    user_id: int
    account_id: int | None
    internal: bool
    account_owner: bool


class CurrentSession(Output):
    """`user`: null for a visitor."""

    user: UserData | None


class SignedInPerson(Output):
    """The signed-in user, also before an account is selected; check-authorized refuses then."""

    user_id: int
    login: str


class AllowedAccount(Output):
    id: int
    name: str
    available_to_select: bool


class SelectAccountInput(Input):
    account_id: Id
