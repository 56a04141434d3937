from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from accountsadmin.languages import Language
from accountsadmin.logins import Email
from mlplace_kit.names import is_account_name
from mlplace_kit.reasons import Reason
from mlplace_kit.wire import Input, Output


def _valid_name(text: str) -> str:
    if not is_account_name(text):
        raise PydanticCustomError(
            "account_name", "must have 3 to 32 characters of a-z, 0-9 and -, and not be all digits"
        )
    return text


AccountName = Annotated[str, Field(max_length=64), AfterValidator(_valid_name)]
DisplayName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128)]


class AccountDetails(Output):
    account_id: int
    short_name: str
    display_name: str
    email: str
    language: Language
    owner_user_id: int
    active: bool
    created_at: datetime


class AccountInput(Input):
    """Fields that are null stay unchanged."""

    display_name: DisplayName | None = None
    language: Language | None = None
    email: Email | None = None


class AccountBlocking(Input):
    """`reason`: why the account is blocked or unblocked, for the administration's records."""

    reason: Reason | None = None
