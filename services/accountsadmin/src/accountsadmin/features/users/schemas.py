from datetime import datetime
from typing import Annotated

from pydantic import Field

from accountsadmin.languages import Language
from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Input, Output

_Permission = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{1,63}$")]


class UserRecord(Output):
    id: int
    login: str
    permissions: list[str]
    internal: bool
    active: bool
    language: Language
    created_at: datetime


class UserPage(Output):
    paging: Pagination
    records: list[UserRecord]


class PermissionsInput(Input):
    """The user's complete list of permissions.

    If `internal` is null, the mark of the vendor's staff stays unchanged.
    """

    permissions: Annotated[list[_Permission], Field(max_length=32)]
    internal: bool | None = None
