"""Accounts, images, models, groups, predict configurations, API keys; outbox, inbox and dead letters."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from mlplace_runtime.db.messaging import create_messaging_tables, drop_messaging_tables

revision = "0001"
down_revision = None


def upgrade() -> None:
    create_messaging_tables(op)
    _create_account()
    _create_account_feature()
    _create_api_key()
    _create_image()
    _create_model()
    _create_model_document()
    _create_model_favorite()
    _create_model_group()
    _create_platform_account()
    _create_predict_config()


def downgrade() -> None:
    for table in (
        "predict_config",
        "platform_account",
        "model_group",
        "model_favorite",
        "model_document",
        "model",
        "image",
        "api_key",
        "account_feature",
        "account",
    ):
        op.drop_table(table)
    drop_messaging_tables(op)


def _create_account() -> None:
    op.create_table(
        "account",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("short_name", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("owner_user_id", sa.BigInteger(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_account")),
    )
    op.create_index(op.f("ix_account_short_name"), "account", ["short_name"], unique=False)


def _create_account_feature() -> None:
    op.create_table(
        "account_feature",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "name", name=op.f("pk_account_feature")),
    )


def _create_api_key() -> None:
    op.create_table(
        "api_key",
        sa.Column("key_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("last_four", sa.Text(), nullable=False),
        sa.Column("permissions", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("allowed_models", postgresql.JSONB(none_as_null=True), nullable=True),
        sa.Column("restrictions", postgresql.JSONB(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by_user", sa.BigInteger(), nullable=True),
        sa.Column("created_by_key", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("key_id", name=op.f("pk_api_key")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_api_key_key_hash")),
    )
    op.create_index(
        "ix_api_key_live",
        "api_key",
        ["account_id", "key_id"],
        unique=False,
        postgresql_where=sa.text("revoked_at IS NULL"),
    )


def _create_image() -> None:
    op.create_table(
        "image",
        sa.Column("image_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        sa.Column("access_mode", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("image_id", name=op.f("pk_image")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_image_account_id_name")),
    )
    op.create_index(
        "ix_image_shared",
        "image",
        ["access_mode", "image_id"],
        unique=False,
        postgresql_where=sa.text("access_mode <> 'private'"),
    )


def _create_model() -> None:
    op.create_table(
        "model",
        sa.Column("model_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_activity", sa.DateTime(timezone=True), nullable=True),
        sa.Column("model_group_id", sa.BigInteger(), nullable=True),
        sa.Column("display_name", sa.Text(), nullable=True),
        sa.Column("display_author", sa.Text(), nullable=True),
        sa.Column("short_description", sa.Text(), nullable=True),
        sa.Column("model_link", sa.Text(), nullable=True),
        sa.Column("model_author_company", sa.Text(), nullable=True),
        sa.Column("languages", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("aliases", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("task_type", sa.Text(), nullable=False),
        sa.Column("model_type", sa.Text(), nullable=False),
        sa.Column("protocols", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("image_account_id", sa.BigInteger(), nullable=True),
        sa.Column("image_id", sa.BigInteger(), nullable=True),
        sa.Column("composite", sa.Boolean(), nullable=False),
        sa.Column("prototype", sa.Boolean(), nullable=False),
        sa.Column("fittable", sa.Boolean(), nullable=False),
        sa.Column("wait_start", sa.Boolean(), nullable=False),
        sa.Column("reject_requests_if_inactive", sa.Boolean(), nullable=False),
        sa.Column("hosting_type", sa.Text(), nullable=False),
        sa.Column("resource_group", sa.Text(), nullable=True),
        sa.Column("min_instances_count", sa.BigInteger(), nullable=False),
        sa.Column("start_time_sec", sa.Float(53), nullable=True),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("env", sa.Text(), nullable=False),
        sa.Column("additional_flags", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("deployment_patch", sa.Text(), nullable=True),
        sa.Column("supported_templates", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("persistent_volumes", postgresql.JSONB(), nullable=False),
        sa.Column("data_image_mounts", postgresql.JSONB(), nullable=False),
        sa.Column("training_model_account_id", sa.BigInteger(), nullable=True),
        sa.Column("training_model_id", sa.BigInteger(), nullable=True),
        sa.Column("training_type", sa.Text(), nullable=True),
        sa.Column("training_dataset_account_id", sa.BigInteger(), nullable=True),
        sa.Column("training_dataset_id", sa.BigInteger(), nullable=True),
        sa.Column("training_dataset_type", sa.Text(), nullable=True),
        sa.Column("training_fit_config_id", sa.BigInteger(), nullable=True),
        sa.Column("fit_template_model_id", sa.BigInteger(), nullable=True),
        sa.Column("timeouts", postgresql.JSONB(), nullable=False),
        sa.Column("resource_limits", postgresql.JSONB(), nullable=False),
        sa.Column("retries_config", postgresql.JSONB(), nullable=False),
        sa.Column("batches_config", postgresql.JSONB(), nullable=False),
        sa.Column("caching", postgresql.JSONB(), nullable=False),
        sa.Column("caching_uri_sealed", sa.LargeBinary(), nullable=True),
        sa.Column("priority_queue", postgresql.JSONB(), nullable=False),
        sa.Column("auto_scaling_configuration", postgresql.JSONB(), nullable=False),
        sa.Column("http_settings", postgresql.JSONB(), nullable=False),
        sa.Column("archive_settings", postgresql.JSONB(), nullable=False),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("featured", sa.Boolean(), nullable=False),
        sa.Column("featured_list_order", sa.BigInteger(), nullable=True),
        sa.Column("public_testing_allowed", sa.Boolean(), nullable=False),
        sa.Column("show_personal_data_disclaimer", sa.Boolean(), nullable=False),
        sa.Column("available_in_jaicp", sa.Boolean(), nullable=False),
        sa.Column("allowed_accounts", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("billing_enabled", sa.Boolean(), nullable=False),
        sa.Column("billing_unit", sa.Text(), nullable=False),
        sa.Column("unit_price_nano", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("free_unit_quota", sa.BigInteger(), nullable=False),
        sa.Column("allow_deferred_billing", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("model_id", name=op.f("pk_model")),
    )
    op.create_index("ix_model_allowed_accounts", "model", ["allowed_accounts"], unique=False, postgresql_using="gin")
    op.create_index(
        "ix_model_catalogue",
        "model",
        ["task_type", "model_id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL AND is_public AND NOT hidden"),
    )
    op.create_index(
        "ix_model_featured",
        "model",
        ["featured_list_order"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL AND is_public AND featured"),
    )
    op.create_index(
        "ix_model_image_id", "model", ["image_id"], unique=False, postgresql_where=sa.text("deleted_at IS NULL")
    )
    op.create_index(
        "ix_model_model_group_id",
        "model",
        ["model_group_id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        "ix_model_own",
        "model",
        ["account_id", "model_id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        "uq_model_account_id_name",
        "model",
        ["account_id", "name"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )


def _create_model_document() -> None:
    op.create_table(
        "model_document",
        sa.Column("model_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("simple_doc", sa.Text(), nullable=True),
        sa.Column("descriptor", postgresql.JSONB(none_as_null=True), nullable=True),
        sa.Column("from_instance", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("model_id", name=op.f("pk_model_document")),
    )


def _create_model_favorite() -> None:
    op.create_table(
        "model_favorite",
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("model_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("caller", "model_id", name=op.f("pk_model_favorite")),
    )


def _create_model_group() -> None:
    op.create_table(
        "model_group",
        sa.Column("group_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("group_id", name=op.f("pk_model_group")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_model_group_account_id_name")),
    )


def _create_platform_account() -> None:
    op.create_table(
        "platform_account",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("base_model_instance_limit", sa.BigInteger(), nullable=False),
        sa.Column("derived_model_instance_limit", sa.BigInteger(), nullable=False),
        sa.Column("gpu_model_instance_limit", sa.BigInteger(), nullable=False),
        sa.Column("cpu_limit", sa.Text(), nullable=False),
        sa.Column("memory_limit", sa.Text(), nullable=False),
        sa.Column("ephemeral_disk_limit", sa.Text(), nullable=False),
        sa.Column("storage_limit", sa.Text(), nullable=False),
        sa.Column("predict_per_sec", sa.BigInteger(), nullable=False),
        sa.Column("fit_per_minute", sa.BigInteger(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("display_name", sa.Text(), nullable=True),
        sa.Column("tags", postgresql.JSONB(), nullable=False),
        sa.Column("last_activity", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_platform_account")),
    )


def _create_predict_config() -> None:
    op.create_table(
        "predict_config",
        sa.Column("config_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("model_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("config_id", name=op.f("pk_predict_config")),
        sa.UniqueConstraint("model_id", "name", name=op.f("uq_predict_config_model_id_name")),
    )
    op.create_index(
        "uq_predict_config_default", "predict_config", ["model_id"], unique=True, postgresql_where=sa.text("is_default")
    )
