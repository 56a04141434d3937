"""Accounts from accountsadmin's events, and the platform's additions: limits, features, tags."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class Account(Base):
    """Read model of AccountChanged. `version` 0: a placeholder that a session created before the event arrived.

    The index on short names is not unique: when two accounts exchange names, their events may arrive in either order.
    """

    __tablename__ = "account"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int]
    short_name: Mapped[str] = mapped_column(sa.Text, index=True)
    display_name: Mapped[str] = mapped_column(sa.Text)
    owner_user_id: Mapped[int]
    email: Mapped[str] = mapped_column(sa.Text)
    language: Mapped[str] = mapped_column(sa.Text)
    active: Mapped[bool]


class PlatformAccount(Base):
    """Quantities are stored as sent. `language` and `display_name`, when set, override the account's own.

    `allowed_networks` None: calls from every address are accepted. `time_zone` None: that of the installation.
    `last_activity`: for processes of the previous release; `AccountActivity` has the present value.
    """

    __tablename__ = "platform_account"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int]
    base_model_instance_limit: Mapped[int]
    derived_model_instance_limit: Mapped[int]
    gpu_model_instance_limit: Mapped[int]
    cpu_limit: Mapped[str] = mapped_column(sa.Text)
    memory_limit: Mapped[str] = mapped_column(sa.Text)
    ephemeral_disk_limit: Mapped[str] = mapped_column(sa.Text)
    storage_limit: Mapped[str] = mapped_column(sa.Text)
    predict_per_sec: Mapped[int]
    fit_per_minute: Mapped[int]
    language: Mapped[str | None] = mapped_column(sa.Text)
    display_name: Mapped[str | None] = mapped_column(sa.Text)
    time_zone: Mapped[str | None] = mapped_column(sa.Text)
    tags: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB)
    allowed_networks: Mapped[list[str] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    last_activity: Mapped[datetime | None]
    created_at: Mapped[datetime]


class AccountFeature(Base):
    """One row per feature that was ever set. `name` is lower case."""

    __tablename__ = "account_feature"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    enabled: Mapped[bool]


class AccountChange(Base):
    """Append-only: the service's database role may neither change nor delete a row.

    `details` have the changed names alone, each with `before` and `after`. `actor_login`: at the time of the change.
    `actor_user_id` and `actor_login` None: no user, but the start of an installation, which sets up its first accounts.
    """

    __tablename__ = "account_change"
    __table_args__ = (sa.Index("ix_account_change_account_id_id", "account_id", "id"),)

    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    occurred_at: Mapped[datetime]
    actor_user_id: Mapped[int | None]
    actor_login: Mapped[str | None] = mapped_column(sa.Text)
    kind: Mapped[str] = mapped_column(sa.Text)
    details: Mapped[dict[str, dict[str, int | str | bool]]] = mapped_column(postgresql.JSONB)
    reason: Mapped[str | None] = mapped_column(sa.Text)
