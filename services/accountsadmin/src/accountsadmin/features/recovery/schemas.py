from typing import Annotated

from pydantic import Field, SecretStr

from accountsadmin.logins import GivenLogin
from accountsadmin.passwords import NewPassword
from mlplace_kit.wire import Input

_Token = Annotated[SecretStr, Field(min_length=1, max_length=128)]


class ForgotPasswordInput(Input):
    login: GivenLogin


class ResetPasswordInput(Input):
    token: _Token
    new_password: NewPassword


class ConfirmEmailInput(Input):
    token: _Token
