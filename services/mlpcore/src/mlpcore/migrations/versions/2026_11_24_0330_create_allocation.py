"""The room that instances hold on servers, and what servers report. The previous release can run beside it.

It places instances without an allocation; the scheduler adds the missing ones.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "allocation",
        sa.Column("instance_id", sa.BigInteger(), nullable=False),
        sa.Column("server_id", sa.BigInteger(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("milli_cpu", sa.BigInteger(), nullable=False),
        sa.Column("ram_mb", sa.BigInteger(), nullable=False),
        sa.Column("disk_mb", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["instance_id"],
            ["instance.instance_id"],
            name=op.f("fk_allocation_instance_id_instance"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("instance_id", name=op.f("pk_allocation")),
    )
    op.create_index("ix_allocation_server_id", "allocation", ["server_id"])
    op.create_index("ix_allocation_account_id", "allocation", ["account_id"])
    op.create_table(
        "gpu_allocation",
        sa.Column("instance_id", sa.BigInteger(), nullable=False),
        sa.Column("gpu_id", sa.Text(), nullable=False),
        sa.Column("server_id", sa.BigInteger(), nullable=False),
        sa.Column("vram_mb", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["instance_id"],
            ["allocation.instance_id"],
            name=op.f("fk_gpu_allocation_instance_id_allocation"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("instance_id", "gpu_id", name=op.f("pk_gpu_allocation")),
    )
    op.create_index("ix_gpu_allocation_server_id", "gpu_allocation", ["server_id", "gpu_id"])
    op.add_column("instance", sa.Column("waiting_details", postgresql.JSONB(), nullable=True))
    for name in ("milli_cpu", "ram_mb", "disk_mb"):
        op.add_column("server", sa.Column(name, sa.BigInteger(), nullable=True))
    empty_list, empty_object = sa.text("'[]'::jsonb"), sa.text("'{}'::jsonb")
    op.add_column("server", sa.Column("gpus", postgresql.JSONB(), server_default=empty_list, nullable=False))
    op.add_column("server", sa.Column("used", postgresql.JSONB(), server_default=empty_object, nullable=False))
    op.add_column("server", sa.Column("labels", postgresql.JSONB(), server_default=empty_object, nullable=False))
    op.add_column("server", sa.Column("draining_since", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    for name in ("draining_since", "labels", "used", "gpus", "disk_mb", "ram_mb", "milli_cpu"):
        op.drop_column("server", name)
    op.drop_column("instance", "waiting_details")
    op.drop_table("gpu_allocation")
    op.drop_table("allocation")
