from typing import Annotated

from pydantic import Field

from accountsadmin.features.accounts.schemas import AccountName, DisplayName
from accountsadmin.languages import DEFAULT_LANGUAGE, Language
from accountsadmin.logins import Email, GivenLogin
from accountsadmin.passwords import GivenPassword, NewPassword
from mlplace_kit.wire import Input, Output

_RedirectUrl = Annotated[str, Field(max_length=2048)]


class LoginInput(Input):
    login: GivenLogin
    password: GivenPassword
    redirect_url: _RedirectUrl | None = None


class RegisterInput(Input):
    """Without `accountName` the account's short name is derived from the login."""

    login: Email
    password: NewPassword
    account_name: AccountName | None = None
    display_name: DisplayName | None = None
    language: Language = DEFAULT_LANGUAGE
    redirect_url: _RedirectUrl | None = None


class ChangePasswordInput(Input):
    current_password: GivenPassword
    new_password: NewPassword


class SignedInData(Output):
    """`accountId` is null until an account is selected; `redirectUrl` is the requested one, after its check."""

    user_id: int
    login: str
    account_id: int | None
    redirect_url: str | None
