"""Notifications to the members of accounts, and which of them each caller has read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mlpcore.features.notifications.events import event_of
from mlpcore.features.notifications.repository import NotificationRepository, NotificationRow
from mlpcore.features.notifications.schemas import NotificationData, NotificationText, NotificationType, Severity
from mlpcore.operations import Entity, EntityRef, OperationType
from mlplace_kit.clock import Clock

KEPT: Final = 1000
KEPT_FOR: Final = timedelta(days=90)
_MAX_TEXT = 2000
_OF_LICENCE = frozenset(
    {
        NotificationType.LICENSE_EXPIRES_SOON,
        NotificationType.LICENSE_NOT_VALID,
        NotificationType.LICENSE_LIMITS_EXCEEDED,
    }
)


@dataclass(frozen=True, slots=True)
class NewNotification:
    """A notification to send. An account gets only one notification of an `occasion`.

    `text_key` and `text_args` are the translatable form of the English `text`.
    """

    type: NotificationType
    severity: Severity
    text: str
    operation: OperationType | None = None
    entity: Entity | None = None
    occasion: str | None = None
    expires: datetime | None = None
    not_before: datetime | None = None
    text_key: NotificationText | None = None
    text_args: Mapping[str, str] | None = None


class Notifier:
    """Writes notifications in the caller's transaction."""

    def __init__(self, repository: NotificationRepository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def notify(self, accounts: Sequence[int], notification: NewNotification) -> Sequence[int]:
        """Notifies the accounts. Returns those that had no notification of the occasion yet."""
        values = self._values(notification)
        return await self._repository.add([{"account_id": account_id, **values} for account_id in accounts])

    async def notify_everybody(self, notification: NewNotification) -> None:
        values = {name: value for name, value in self._values(notification).items() if value is not None}
        await self._repository.add_for_everybody(values)

    def _values(self, notification: NewNotification) -> dict[str, object]:
        return {
            "type": notification.type.value,
            "severity": notification.severity.value,
            "text_message": notification.text[:_MAX_TEXT],
            "created_at": self._clock.now(),
            "operation_type": notification.operation.value if notification.operation else None,
            "entity": notification.entity.stored if notification.entity else None,
            "entity_display_name": notification.entity.display_name if notification.entity else None,
            "expiration_date": notification.expires,
            "not_before_date": notification.not_before,
            "occasion": notification.occasion,
            "text_key": notification.text_key.value if notification.text_key else None,
            "text_args": dict(notification.text_args) if notification.text_args else None,
            "event": _event(notification),
        }


def _event(notification: NewNotification) -> str | None:
    entity = notification.entity.name if notification.entity else None
    event = event_of(notification.type, notification.operation, entity)
    return event.value if event else None


class NotificationService:
    def __init__(
        self, repository: NotificationRepository, notifier: Notifier, clock: Clock, *, license_dashboard: str | None
    ) -> None:
        self._repository = repository
        self._notifier = notifier
        self._clock = clock
        self._license_dashboard = license_dashboard

    async def listed(self, *, account_id: int, reader: str, user_id: int | None, limit: int) -> list[NotificationData]:
        """Returns the account's newest notifications, the newest first, without events that the user hides."""
        rows = await self._repository.newest(account_id=account_id, reader=reader, user_id=user_id, limit=limit)
        return [self._shown(row) for row in rows]

    async def mark_read(self, *, account_id: int, reader: str, ids: Sequence[str]) -> None:
        """Ignores notifications of other accounts."""
        await self._repository.mark_read(
            account_id=account_id, ids=[int(text) for text in ids], reader=reader, moment=self._clock.now()
        )

    async def broadcast(self, *, text: str, severity: Severity) -> None:
        await self._notifier.notify_everybody(NewNotification(NotificationType.BROADCAST, severity, text))

    def _shown(self, row: NotificationRow) -> NotificationData:
        notification, read_at = row
        type_ = NotificationType(notification.type)
        return NotificationData(
            id=str(notification.notification_id),
            type=type_,
            severity=Severity(notification.severity),
            text_message=notification.text_message,
            created_at=notification.created_at,
            read_at=read_at,
            entity=EntityRef.model_validate(notification.entity) if notification.entity else None,
            operation_type=OperationType(notification.operation_type) if notification.operation_type else None,
            entity_display_name=notification.entity_display_name,
            expiration_date=notification.expiration_date,
            not_before_date=notification.not_before_date,
            grafana_license_dashboard_url=self._license_dashboard if type_ in _OF_LICENCE else None,
            text_key=NotificationText(notification.text_key) if notification.text_key else None,
            text_args=notification.text_args,
        )
