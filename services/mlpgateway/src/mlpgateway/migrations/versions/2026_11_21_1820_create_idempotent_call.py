import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "idempotent_call",
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("scope", sa.String, nullable=False),
        sa.Column("fingerprint", sa.String, nullable=False),
        sa.Column("token", sa.Uuid, nullable=False),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True)),
        sa.Column("is_json", sa.Boolean),
        sa.Column("data_type", sa.String),
        sa.Column("body", sa.LargeBinary),
        sa.Column("headers", JSONB),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("account_id", "scope", name="pk_idempotent_call"),
    )
    op.create_index("ix_idempotent_call_created_at", "idempotent_call", ["created_at"])


def downgrade() -> None:
    op.drop_table("idempotent_call")
