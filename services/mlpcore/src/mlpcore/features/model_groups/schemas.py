from typing import Annotated

from pydantic import StringConstraints

from mlplace_kit.wire import Input

GroupName = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f\x7f]+$")]


class ModelGroupPK(Input):
    account_id: int
    group_id: int


class ModelGroupData(Input):
    """Used in requests and responses. A new group is sent without `id`."""

    id: ModelGroupPK | None = None
    name: GroupName
