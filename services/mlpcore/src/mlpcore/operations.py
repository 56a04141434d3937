"""The operations and entities that tasks and notifications name, in the contract's words."""

from dataclasses import dataclass
from enum import StrEnum

from mlplace_kit.wire import Output


class OperationType(StrEnum):
    RUN = "RUN"
    FIT = "FIT"
    BLOCK = "BLOCK"
    UNBLOCK = "UNBLOCK"
    GRANT = "GRANT"
    CREATE = "CREATE"
    REMOVE = "REMOVE"
    EVICT = "EVICT"
    REMOVE_BY_BILLING = "REMOVE_BY_BILLING"
    WAKE_UP = "WAKE_UP"
    RENAME = "RENAME"
    PREPARE = "PREPARE"
    RELOAD = "RELOAD"
    TRANSFER = "TRANSFER"
    SCALE_UP = "SCALE_UP"
    SCALE_DOWN = "SCALE_DOWN"
    NEED_SCALE_UP = "NEED_SCALE_UP"
    SET_CORRECT_GROUP = "SET_CORRECT_GROUP"


class EntityName(StrEnum):
    ACCOUNT = "account"
    MODEL = "model"
    PROTOTYPE = "prototype"
    INSTANCE = "instance"
    RESOURCE_GROUP = "resource_group"
    RESOURCE_GROUP_SERVER = "resource_group_server"
    RESOURCE_QUOTA = "resource_quota"


class EntityKey(Output):
    """The ids that identify an entity. Ids that do not apply to it are null."""

    account_id: int
    model_id: int | None
    instance_id: int | None
    group_owner_id: int | None
    group_name: str | None
    server_id: int | None


class EntityRef(Output):
    name: EntityName
    key: EntityKey


@dataclass(frozen=True, slots=True)
class Entity:
    """`display_name` is stored because the entity may be deleted before people read the notification."""

    name: EntityName
    account_id: int
    display_name: str
    model_id: int | None = None
    instance_id: int | None = None
    group_owner_id: int | None = None
    group_name: str | None = None
    server_id: int | None = None

    @property
    def stored(self) -> dict[str, object]:
        return {
            "name": self.name.value,
            "key": {
                "account_id": self.account_id,
                "model_id": self.model_id,
                "instance_id": self.instance_id,
                "group_owner_id": self.group_owner_id,
                "group_name": self.group_name,
                "server_id": self.server_id,
            },
        }
