import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "storage_use",
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "kind", name="pk_storage_use"),
    )
    op.create_table(
        "storage_change",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_storage_change"),
    )
    op.create_index("ix_storage_change_account_id", "storage_change", ["account_id"])
    op.create_table(
        "storage_setting",
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("prediction_hours", sa.BigInteger),
        sa.Column("answer_hours", sa.BigInteger),
        sa.Column("archive_hours", sa.BigInteger),
        sa.PrimaryKeyConstraint("account_id", name="pk_storage_setting"),
    )
    for table in ("prediction", "webhook_delivery", "idempotent_call"):
        op.add_column(table, sa.Column("stored_bytes", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("prediction", sa.Column("doomed", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_index("ix_prediction_doomed", "prediction", ["id"], postgresql_where=sa.text("doomed"))
    op.create_index("ix_archived_request_account_id_number", "archived_request", ["account_id", "number"])
    # The first comparison of the storage maintenance counts what is stored already.
    op.execute("UPDATE prediction SET stored_bytes = 1024 + octet_length(call) + coalesce(output_size, 0)")
    op.execute("UPDATE webhook_delivery SET stored_bytes = 1024 + octet_length(body)")
    op.execute("UPDATE idempotent_call SET stored_bytes = 1024 + coalesce(octet_length(body), 0)")


def downgrade() -> None:
    op.drop_index("ix_archived_request_account_id_number", "archived_request")
    op.drop_index("ix_prediction_doomed", "prediction")
    op.drop_column("prediction", "doomed")
    for table in ("prediction", "webhook_delivery", "idempotent_call"):
        op.drop_column(table, "stored_bytes")
    for table in ("storage_use", "storage_change", "storage_setting"):
        op.drop_table(table)
