"""Which event a notification is about, for people who hide events or get them by mail."""

from collections.abc import Mapping
from typing import Final

from mlpcore.features.notifications.schemas import NotificationEvent, NotificationType
from mlpcore.operations import EntityName, OperationType

_BY_TYPE: Final[Mapping[NotificationType, NotificationEvent]] = {
    NotificationType.NO_ONE_VAST_AI_OFFER: NotificationEvent.SERVER_ERRORS,
    NotificationType.VAST_AI_SERVER_CANNOT_START_INSTANCE: NotificationEvent.SERVER_ERRORS,
    NotificationType.SERVER_EVENTS_ERROR_INDICATOR: NotificationEvent.SERVER_ERRORS,
    NotificationType.SERVER_UNAVAILABLE: NotificationEvent.SERVER_ERRORS,
    NotificationType.SERVER_AVAILABLE: NotificationEvent.SERVER_ERRORS,
    NotificationType.MODEL_EVENTS_ERROR_INDICATOR: NotificationEvent.SERVICE_ERRORS,
    NotificationType.TOKEN_EXPIRATION_WARNING: NotificationEvent.ACCOUNT,
}
_OF_SERVICES: Final[Mapping[OperationType, NotificationEvent]] = {
    OperationType.RUN: NotificationEvent.INSTANCE_START_AND_STOP,
    OperationType.WAKE_UP: NotificationEvent.INSTANCE_START_AND_STOP,
    OperationType.SCALE_UP: NotificationEvent.INSTANCE_START_AND_STOP,
    OperationType.SCALE_DOWN: NotificationEvent.INSTANCE_START_AND_STOP,
    OperationType.NEED_SCALE_UP: NotificationEvent.INSTANCE_START_AND_STOP,
    OperationType.REMOVE: NotificationEvent.INSTANCE_START_AND_STOP,
    OperationType.EVICT: NotificationEvent.INSTANCE_EVICTION,
    OperationType.RELOAD: NotificationEvent.SERVICE_RESTART,
}
_SERVICES: Final = frozenset({EntityName.ACCOUNT, EntityName.MODEL, EntityName.PROTOTYPE, EntityName.INSTANCE})
"""An account restarts all services of an image."""


def event_of(
    kind: NotificationType, operation: OperationType | None, entity: EntityName | None
) -> NotificationEvent | None:
    """Returns None for what nobody can hide: news of the platform, of its licence, and operations of no event."""
    if kind in _BY_TYPE:
        return _BY_TYPE[kind]
    if kind not in {NotificationType.PIPELINE_OPERATION, NotificationType.NONE}:
        return None
    if entity is EntityName.ACCOUNT and operation is not OperationType.RELOAD:
        return NotificationEvent.ACCOUNT
    return _OF_SERVICES.get(operation) if operation and entity in _SERVICES else None
