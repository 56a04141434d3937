"""Slows down sign-ins instead of locking logins; remembers devices that users have signed in at."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("attempts", sa.Column("turn_at", _MOMENT, nullable=True))
    op.add_column("attempts", sa.Column("line_ends_at", _MOMENT, nullable=True))
    op.create_table(
        "known_devices",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_known_devices")),
        sa.UniqueConstraint("token_hash", "user_id", name=op.f("uq_known_devices_token_hash_user_id")),
    )
    op.create_index(op.f("ix_known_devices_user_id"), "known_devices", ["user_id"])
    op.create_index(op.f("ix_known_devices_last_seen_at"), "known_devices", ["last_seen_at"])


def downgrade() -> None:
    op.drop_table("known_devices")
    op.drop_column("attempts", "line_ends_at")
    op.drop_column("attempts", "turn_at")
