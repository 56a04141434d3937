"""Tables of notifications, their readers and what these want to see, and the read models of whom to notify."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class Notification(Base):
    """`entity`: a stored EntityRef. An account has at most one notification per `occasion`.

    `event`: a NotificationEvent; None for what everybody sees.
    """

    __tablename__ = "notification"
    __table_args__ = (
        sa.UniqueConstraint("account_id", "occasion"),
        sa.Index("ix_notification_account", "account_id", "notification_id"),
        sa.Index("ix_notification_created_at", "created_at"),
    )

    notification_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    type: Mapped[str] = mapped_column(sa.Text)
    severity: Mapped[str] = mapped_column(sa.Text)
    text_message: Mapped[str] = mapped_column(sa.Text)
    created_at: Mapped[datetime]
    operation_type: Mapped[str | None] = mapped_column(sa.Text)
    entity: Mapped[dict[str, Any] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    entity_display_name: Mapped[str | None] = mapped_column(sa.Text)
    expiration_date: Mapped[datetime | None]
    not_before_date: Mapped[datetime | None]
    occasion: Mapped[str | None] = mapped_column(sa.Text)
    text_key: Mapped[str | None] = mapped_column(sa.Text)
    text_args: Mapped[dict[str, str] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    event: Mapped[str | None] = mapped_column(sa.Text)


class NotificationRead(Base):
    """`reader`: a user, or the keys of an account, as `mlpcore.callers` names them."""

    __tablename__ = "notification_read"

    notification_id: Mapped[int] = mapped_column(
        sa.ForeignKey("notification.notification_id", ondelete="CASCADE"), primary_key=True
    )
    reader: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    read_at: Mapped[datetime]


class NotificationSettings(Base):
    """What a member of an account has chosen: events that they do not see, and events that are mailed to them.

    `login`: their address. `mailed_until`: the newest notification that was looked at for mails. `due_at`: no mail is
    sent before.
    """

    __tablename__ = "notification_settings"
    __table_args__ = (sa.Index("ix_notification_settings_user_id", "user_id"),)

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    login: Mapped[str] = mapped_column(sa.Text)
    hidden: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))
    mailed: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))
    mailed_until: Mapped[int]
    due_at: Mapped[datetime]


class AccountStanding(Base):
    """Read model of BalanceChanged: whether mlpbilling has blocked the account, per currency."""

    __tablename__ = "account_standing"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    currency: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    version: Mapped[int]
    blocked: Mapped[bool]


class AccountMember(Base):
    """Read model of MembershipChanged: whether the user has any role in the account. Former members keep their row."""

    __tablename__ = "account_member"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int]
    member: Mapped[bool]


class PlatformAdministrator(Base):
    """Read model of UserChanged: whether the user is an administrator of the platform."""

    __tablename__ = "platform_administrator"

    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int]
    administrator: Mapped[bool]
