import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "gate_member",
        sa.Column("address", sa.String, nullable=False),
        sa.Column("gate_id", sa.Uuid, nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("leaving", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("address", name="pk_gate_member"),
    )


def downgrade() -> None:
    op.drop_table("gate_member")
