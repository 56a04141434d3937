"""Models, their versions, documents, favourites and groups.

Nested settings are JSONB in the wire's shape (camelCase). They are complete: writing a row fills in the defaults.
"""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base

Block = dict[str, Any]


def _text(*, nullable: bool = False) -> Mapped[Any]:
    return mapped_column(sa.Text, nullable=nullable)


def _needed(column: str, kind: Any, *, nullable: bool = False) -> Mapped[Any]:
    """A column that the database computes from `resource_limits` whenever they are written. Nothing else can set it."""
    return mapped_column(kind, sa.Computed(f"needed_{column}(resource_limits)", persisted=True), nullable=nullable)


_LIVE = sa.text("deleted_at IS NULL")


class Model(Base):
    """A deleted model keeps its row, but its name becomes free. `version` rises with each ModelChanged.

    `resource_group_id`: NULL means the account's default group. `resource_group`: the group's name, for processes of
    the previous release; a name without an id is one for which migration 0012 found no group. `last_activity`: for
    processes of the previous release, too; `ModelActivity` has the present value.

    `milli_cpu` to `server_labels`: what each of its instances needs, read from `resource_limits`. CPU in thousandths of
    a core; memory, disk and VRAM in MiB. An instance on a server keeps what it got: its allocation is a copy.
    """

    __tablename__ = "model"
    # An UPDATE returns what the database computes. Else the attributes would have to be loaded when they are read.
    __mapper_args__ = {"eager_defaults": True}  # noqa: RUF012  as SQLAlchemy declares it
    __table_args__ = (
        sa.Index(
            "uq_model_account_id_name",
            "account_id",
            "name",
            unique=True,
            postgresql_where=_LIVE,
        ),
        sa.Index("ix_model_own", "account_id", "model_id", postgresql_where=_LIVE),
        sa.Index(
            "ix_model_catalogue",
            "task_type",
            "model_id",
            postgresql_where=sa.text("deleted_at IS NULL AND is_public AND NOT hidden"),
        ),
        sa.Index(
            "ix_model_featured",
            "featured_list_order",
            postgresql_where=sa.text("deleted_at IS NULL AND is_public AND featured"),
        ),
        sa.Index("ix_model_image_id", "image_id", postgresql_where=_LIVE),
        sa.Index("ix_model_model_group_id", "model_group_id", postgresql_where=_LIVE),
        sa.Index(
            "ix_model_resource_group_id",
            "resource_group_id",
            postgresql_where=sa.text("resource_group_id IS NOT NULL"),
        ),
        sa.Index(
            "ix_model_training_dataset_id",
            "training_dataset_id",
            postgresql_where=sa.text("training_dataset_id IS NOT NULL"),
        ),
        sa.Index("ix_model_allowed_accounts", "allowed_accounts", postgresql_using="gin"),
    )

    model_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    version: Mapped[int]
    name: Mapped[str] = _text()
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]
    last_activity: Mapped[datetime | None]
    model_group_id: Mapped[int | None]

    display_name: Mapped[str | None] = _text(nullable=True)
    display_author: Mapped[str | None] = _text(nullable=True)
    short_description: Mapped[str | None] = _text(nullable=True)
    model_link: Mapped[str | None] = _text(nullable=True)
    model_author_company: Mapped[str | None] = _text(nullable=True)
    languages: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))
    aliases: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))
    task_type: Mapped[str] = _text()
    model_type: Mapped[str] = _text()
    protocols: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))

    image_account_id: Mapped[int | None]
    image_id: Mapped[int | None]
    composite: Mapped[bool]
    prototype: Mapped[bool]
    fittable: Mapped[bool]
    wait_start: Mapped[bool]
    reject_requests_if_inactive: Mapped[bool]
    hosting_type: Mapped[str] = _text()
    resource_group: Mapped[str | None] = _text(nullable=True)
    resource_group_id: Mapped[int | None] = mapped_column(sa.ForeignKey("resource_group.group_id", ondelete="RESTRICT"))
    min_instances_count: Mapped[int]
    start_time_sec: Mapped[float | None] = mapped_column(sa.Float(53))
    config: Mapped[str] = _text()
    env: Mapped[str] = _text()
    secret_env: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB, server_default=sa.text("'{}'::jsonb"))
    settings_sealed: Mapped[bytes | None]
    additional_flags: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))
    deployment_patch: Mapped[str | None] = _text(nullable=True)
    supported_templates: Mapped[list[int]] = mapped_column(postgresql.ARRAY(sa.BigInteger))
    persistent_volumes: Mapped[list[Block]] = mapped_column(postgresql.JSONB)
    data_image_mounts: Mapped[list[Block]] = mapped_column(postgresql.JSONB)

    training_model_account_id: Mapped[int | None]
    training_model_id: Mapped[int | None]
    training_type: Mapped[str | None] = _text(nullable=True)
    training_dataset_account_id: Mapped[int | None]
    training_dataset_id: Mapped[int | None]
    training_dataset_type: Mapped[str | None] = _text(nullable=True)
    training_fit_config_id: Mapped[int | None]
    fit_template_model_id: Mapped[int | None]

    timeouts: Mapped[Block] = mapped_column(postgresql.JSONB)
    resource_limits: Mapped[Block] = mapped_column(postgresql.JSONB)
    milli_cpu: Mapped[int] = _needed("milli_cpu", sa.BigInteger)
    ram_mb: Mapped[int] = _needed("ram_mb", sa.BigInteger)
    disk_mb: Mapped[int] = _needed("disk_mb", sa.BigInteger)
    gpu_count: Mapped[int] = _needed("gpu_count", sa.Integer)
    vram_mb: Mapped[int | None] = _needed("vram_mb", sa.BigInteger, nullable=True)
    gpu_models: Mapped[list[str]] = _needed("gpu_models", postgresql.ARRAY(sa.Text))
    server_labels: Mapped[dict[str, str]] = _needed("server_labels", postgresql.JSONB)
    retries_config: Mapped[Block] = mapped_column(postgresql.JSONB)
    batches_config: Mapped[Block] = mapped_column(postgresql.JSONB)
    caching: Mapped[Block] = mapped_column(postgresql.JSONB)
    caching_uri_sealed: Mapped[bytes | None]
    priority_queue: Mapped[Block] = mapped_column(postgresql.JSONB)
    auto_scaling_configuration: Mapped[Block] = mapped_column(postgresql.JSONB)
    http_settings: Mapped[Block] = mapped_column(postgresql.JSONB)
    archive_settings: Mapped[Block] = mapped_column(postgresql.JSONB)

    is_public: Mapped[bool]
    hidden: Mapped[bool]
    featured: Mapped[bool]
    featured_list_order: Mapped[int | None]
    public_testing_allowed: Mapped[bool]
    visitor_calls_per_day: Mapped[int] = mapped_column(sa.Integer, server_default=sa.text("0"))
    show_personal_data_disclaimer: Mapped[bool]
    available_in_jaicp: Mapped[bool]
    allowed_accounts: Mapped[list[int]] = mapped_column(postgresql.ARRAY(sa.BigInteger))

    billing_enabled: Mapped[bool]
    billing_unit: Mapped[str] = _text()
    unit_price_nano: Mapped[int | None]
    currency: Mapped[str] = _text()
    free_unit_quota: Mapped[int]
    max_price_nano: Mapped[int | None]
    allow_deferred_billing: Mapped[bool]


class ModelVersion(Base):
    """Append-only: the service's database role may neither change nor delete a row. Triggers forget old ones.

    `document`: the settings after the change, without hidden values. `changes`: as FieldChange on the wire. `author`:
    the login, or the name of the API key, at the time of the change. `user_id` and `author` None: the platform's team,
    or nobody who was recorded. `restored_number`: the version whose settings this one has again.
    """

    __tablename__ = "model_version"

    model_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    account_id: Mapped[int]
    occurred_at: Mapped[datetime]
    user_id: Mapped[int | None]
    author: Mapped[str | None] = _text(nullable=True)
    kind: Mapped[str] = _text()
    restored_number: Mapped[int | None]
    changes: Mapped[list[Block]] = mapped_column(postgresql.JSONB)
    document: Mapped[Block] = mapped_column(postgresql.JSONB)


class ModelDocument(Base):
    """Texts that lists do not show. `descriptor`: a ServiceDescriptorData. `from_instance`: an instance sent it."""

    __tablename__ = "model_document"

    model_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    simple_doc: Mapped[str | None] = _text(nullable=True)
    descriptor: Mapped[Block | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    from_instance: Mapped[bool]


class ModelFavorite(Base):
    """`caller`: `user:<id>` for a user, `account:<id>` for the keys of an account."""

    __tablename__ = "model_favorite"

    caller: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    model_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)


class ModelGroup(Base):
    """Defined here because every list of models shows its name. The feature model_groups has its routes."""

    __tablename__ = "model_group"
    __table_args__ = (sa.UniqueConstraint("account_id", "name"),)

    group_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
