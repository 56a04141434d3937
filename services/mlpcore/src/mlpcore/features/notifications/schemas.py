"""Notifications on the wire."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from mlpcore.operations import EntityRef, OperationType
from mlplace_kit.wire import Input, Output


class NotificationType(StrEnum):
    NO_ONE_VAST_AI_OFFER = "NO_ONE_VAST_AI_OFFER"
    VAST_AI_SERVER_CANNOT_START_INSTANCE = "VAST_AI_SERVER_CANNOT_START_INSTANCE"
    SERVER_EVENTS_ERROR_INDICATOR = "SERVER_EVENTS_ERROR_INDICATOR"
    MODEL_EVENTS_ERROR_INDICATOR = "MODEL_EVENTS_ERROR_INDICATOR"
    TOKEN_EXPIRATION_WARNING = "TOKEN_EXPIRATION_WARNING"  # noqa: S105  a word of the contract
    PIPELINE_OPERATION = "PIPELINE_OPERATION"
    BROADCAST = "BROADCAST"
    LICENSE_EXPIRES_SOON = "LICENSE_EXPIRES_SOON"
    LICENSE_NOT_VALID = "LICENSE_NOT_VALID"
    LICENSE_LIMITS_EXCEEDED = "LICENSE_LIMITS_EXCEEDED"
    SERVER_UNAVAILABLE = "SERVER_UNAVAILABLE"
    SERVER_AVAILABLE = "SERVER_AVAILABLE"
    NONE = "NONE"


class Severity(StrEnum):
    ERROR = "ERROR"
    WARNING = "WARNING"
    INFO = "INFO"


class NotificationText(StrEnum):
    """The content of a notification that its type and operation do not determine. Interfaces translate it."""

    REFILL_DONE = "REFILL_DONE"
    ACCESS_GRANTED = "ACCESS_GRANTED"
    ACCESS_ENDED = "ACCESS_ENDED"
    KEY_SPENDING_NEAR = "KEY_SPENDING_NEAR"
    KEY_SPENDING_REACHED = "KEY_SPENDING_REACHED"
    CHARGE_CAPPED = "CHARGE_CAPPED"
    CHARGE_CAPPED_BY_PAYER = "CHARGE_CAPPED_BY_PAYER"
    REQUEST_ANSWERED = "REQUEST_ANSWERED"
    SERVICES_MOVED = "SERVICES_MOVED"


class NotificationEvent(StrEnum):
    """What people may hide or get by mail. News of the platform and its licence belong to none: everybody sees them.

    ACCOUNT: its balance, keys, requests and members.
    """

    SERVICE_ERRORS = "SERVICE_ERRORS"
    SERVICE_RESTART = "SERVICE_RESTART"
    INSTANCE_START_AND_STOP = "INSTANCE_START_AND_STOP"
    INSTANCE_EVICTION = "INSTANCE_EVICTION"
    SERVER_ERRORS = "SERVER_ERRORS"
    ACCOUNT = "ACCOUNT"


class NotificationData(Output):
    """`readAt`: when the caller read it. Each member of the account has an own value.

    `textMessage` is the English text of `textKey` with `textArgs`; many notifications have only `textMessage`.
    Notifications about the licence set `expirationDate`, `notBeforeDate` and `grafanaLicenseDashboardUrl`;
    notifications about expiring keys set only `expirationDate`.
    """

    id: str
    type: NotificationType
    severity: Severity
    text_message: str
    created_at: datetime
    read_at: datetime | None
    entity: EntityRef | None
    operation_type: OperationType | None
    entity_display_name: str | None
    expiration_date: datetime | None
    not_before_date: datetime | None
    grafana_license_dashboard_url: str | None
    text_key: NotificationText | None
    text_args: dict[str, str] | None


NotificationId = Annotated[str, Field(pattern=r"^[0-9]{1,18}$")]


class NotificationReadRequest(Input):
    ids: Annotated[list[NotificationId], Field(max_length=1000)]


class MailRefusal(StrEnum):
    """MAIL_OFF: the installation sends no mail. NO_ADDRESS: the login is none. UNCONFIRMED: it is not confirmed."""

    MAIL_OFF = "MAIL_OFF"
    NO_ADDRESS = "NO_ADDRESS"
    UNCONFIRMED = "UNCONFIRMED"


class EventSettingData(Output):
    """`shown`: among the notifications. `mailed`: to the address with which the person signs in."""

    event: NotificationEvent
    shown: bool
    mailed: bool


class NotificationSettingsData(Output):
    """`address`: where mails go. `mailRefusal`: why no event can be mailed; null if events can be."""

    events: list[EventSettingData]
    address: str
    mail_refusal: MailRefusal | None


class EventSetting(Input):
    event: NotificationEvent
    shown: bool
    mailed: bool


class NotificationSettingsRequest(Input):
    """Events that are not named stay as they are."""

    events: Annotated[list[EventSetting], Field(max_length=len(NotificationEvent))]


class BroadcastNotificationRequest(Input):
    text_message: Annotated[str, Field(min_length=1, max_length=2000)]
    severity: Severity = Severity.INFO
