"""SQL of the group in which a service runs: the one that it names, else its account's default, else the platform's."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from mlpcore.features.models.tables import Model
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.system_account import SYSTEM_ACCOUNT

_PUBLIC = "PUBLIC"
_Named, _Own, _General = aliased(ResourceGroup), aliased(ResourceGroup), aliased(ResourceGroup)

NAMES_NO_GROUP = sa.and_(Model.resource_group_id.is_(None), Model.resource_group.is_(None))
GROUP_ID: sa.ColumnElement[int | None] = sa.case(
    (NAMES_NO_GROUP, sa.func.coalesce(_Own.group_id, _General.group_id)), else_=_Named.group_id
)
"""The group's id; null without a usable group. For statements that `with_group` has joined."""


def with_group(statement: sa.Select[*tuple[Any, ...]]) -> sa.Select[*tuple[Any, ...]]:
    """Joins the groups to a statement that selects from `Model`."""
    usable = sa.or_(_Named.account_id == Model.account_id, _Named.access == _PUBLIC)
    general = sa.and_(_General.account_id == SYSTEM_ACCOUNT, _General.is_default, _General.access == _PUBLIC)
    return (
        statement.outerjoin(_Named, sa.and_(_Named.group_id == Model.resource_group_id, usable))
        .outerjoin(_Own, sa.and_(_Own.account_id == Model.account_id, _Own.is_default))
        .outerjoin(_General, general)
    )
