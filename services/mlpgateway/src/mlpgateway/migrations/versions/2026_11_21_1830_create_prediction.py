import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0005"
down_revision = "0004"

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "prediction",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("key_id", sa.BigInteger),
        sa.Column("model_account", sa.String, nullable=False),
        sa.Column("model_name", sa.String, nullable=False),
        sa.Column("request_id", sa.String, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("call", sa.LargeBinary, nullable=False),
        sa.Column("credential", sa.LargeBinary),
        sa.Column("scope", sa.String),
        sa.Column("fingerprint", sa.String),
        sa.Column("webhook_url", sa.String),
        sa.Column("webhook_events", JSONB, nullable=False),
        sa.Column("attempts", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("not_before", _MOMENT, nullable=False, server_default=sa.func.now()),
        sa.Column("token", sa.Uuid),
        sa.Column("leased_until", _MOMENT),
        sa.Column("cancel_requested", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", _MOMENT, nullable=False, server_default=sa.func.now()),
        sa.Column("started_at", _MOMENT),
        sa.Column("completed_at", _MOMENT),
        sa.Column("output", sa.LargeBinary),
        sa.Column("output_is_json", sa.Boolean),
        sa.Column("error", JSONB),
        sa.Column("usage", JSONB),
        sa.PrimaryKeyConstraint("id", name="pk_prediction"),
        sa.UniqueConstraint("account_id", "scope", name="uq_prediction_account_id_scope"),
    )
    op.create_index("ix_prediction_account_id_created_at", "prediction", ["account_id", "created_at"])
    op.create_index("ix_prediction_status_not_before", "prediction", ["status", "not_before"])
    op.create_table(
        "webhook_secret",
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("account_id", name="pk_webhook_secret"),
    )
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("prediction_id", sa.Uuid, nullable=False),
        sa.Column("event", sa.String, nullable=False),
        sa.Column("url", sa.String, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("attempts", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("next_at", _MOMENT),
        sa.Column("delivered_at", _MOMENT),
        sa.Column("last_status", sa.BigInteger),
        sa.Column("last_error", sa.String),
        sa.Column("created_at", _MOMENT, nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_delivery"),
    )
    op.create_index("ix_webhook_delivery_next_at", "webhook_delivery", ["next_at"])
    op.create_index("ix_webhook_delivery_prediction_id", "webhook_delivery", ["prediction_id"])
    op.create_index("ix_webhook_delivery_created_at", "webhook_delivery", ["created_at"])


def downgrade() -> None:
    op.drop_table("webhook_delivery")
    op.drop_table("webhook_secret")
    op.drop_table("prediction")
