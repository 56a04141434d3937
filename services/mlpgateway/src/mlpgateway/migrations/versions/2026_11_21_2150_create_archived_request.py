import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "archived_request",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("number", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("model_id", sa.BigInteger, nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("request_id", sa.String, nullable=False),
        sa.Column("caller_account_id", sa.BigInteger, nullable=False),
        sa.Column("operation", sa.String, nullable=False),
        sa.Column("status", sa.BigInteger, nullable=False),
        sa.Column("error_code", sa.String),
        sa.Column("request_bytes", sa.BigInteger, nullable=False),
        sa.Column("answer_bytes", sa.BigInteger, nullable=False),
        sa.Column("stored_bytes", sa.BigInteger, nullable=False),
        sa.Column("duration_ms", sa.BigInteger, nullable=False),
        sa.Column("instance_id", sa.BigInteger),
        sa.Column("cached", sa.Boolean, nullable=False),
        sa.Column("key_id", sa.String),
        sa.Column("stored", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("doomed", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", _MOMENT, nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("id", name="pk_archived_request"),
    )
    op.create_index("ix_archived_request_model_id_number", "archived_request", ["model_id", "number"])
    op.create_index(
        "ix_archived_request_unfinished",
        "archived_request",
        ["created_at"],
        postgresql_where=sa.text("doomed OR NOT stored"),
    )


def downgrade() -> None:
    op.drop_table("archived_request")
