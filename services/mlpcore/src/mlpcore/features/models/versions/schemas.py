"""Versions of models on the wire."""

from datetime import datetime
from enum import StrEnum

from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Output


class VersionKind(StrEnum):
    """UNRECORDED: a state that was found before another change, without a record of who made it."""

    CREATED = "CREATED"
    CLONED = "CLONED"
    SETTINGS_CHANGED = "SETTINGS_CHANGED"
    PUBLICATION_CHANGED = "PUBLICATION_CHANGED"
    PRICE_CHANGED = "PRICE_CHANGED"
    RESTORED = "RESTORED"
    MOVED = "MOVED"
    UNRECORDED = "UNRECORDED"


ShownValue = bool | int | float | str


class FieldChange(Output):
    """`field`: the path of the field in ModelInfoData. A list is shown as the text of its JSON.

    `hidden`: the value, or a part of it, is secret; it changed, and no version holds it. A text of more than 500
    characters is cut; `beforeLength` and `afterLength` then say how many it had.
    """

    field: str
    hidden: bool
    before: ShownValue | None
    after: ShownValue | None
    before_length: int | None
    after_length: int | None


class ModelVersionData(Output):
    """`author`: the login, or the name of the API key, at the time of the change; null for the platform's team.

    `restoredVersion`: the version whose settings this one has again. CREATED and CLONED have no `changes`.
    """

    version: int
    occurred_at: datetime
    user_id: int | None
    author: str | None
    kind: VersionKind
    restored_version: int | None
    changes: list[FieldChange]


class PagedModelVersions(Output):
    paging: Pagination
    records: list[ModelVersionData]


class ModelVersionDetails(ModelVersionData):
    """`restoring`: what restoring this version would change now. It changes neither publication nor prices."""

    restoring: list[FieldChange]
