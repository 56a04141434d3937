"""Credentials with which instances reach the bucket of their account.

The previous release can run beside it: its instances get none, and what it leaves behind is ended by the comparison of
this release.
"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "instance_credential",
        sa.Column("credential_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("access_key", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("instance_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("secret_sealed", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.PrimaryKeyConstraint("credential_id", name=op.f("pk_instance_credential")),
        sa.UniqueConstraint("access_key", name=op.f("uq_instance_credential_access_key")),
    )
    live, ended = sa.text("ended_at IS NULL"), sa.text("ended_at IS NOT NULL")
    op.create_index(
        "uq_instance_credential_live", "instance_credential", ["instance_id"], unique=True, postgresql_where=live
    )
    op.create_index("ix_instance_credential_account", "instance_credential", ["account_id"], postgresql_where=live)
    op.create_index("ix_instance_credential_ended_at", "instance_credential", ["ended_at"], postgresql_where=ended)


def downgrade() -> None:
    op.drop_table("instance_credential")
