from typing import Annotated

from pydantic import Field

from mlplace_contracts.enums import Role
from mlplace_kit.wire import Input, Output

Roles = Annotated[list[Role], Field(min_length=1, max_length=len(Role))]


class MemberData(Output):
    user_id: int
    login: str
    roles: list[Role]


class RolesInput(Input):
    """All roles that the member shall have."""

    roles: Roles
