"""Autoscaling: when each model is looked at, the history of decisions, and when numbers of instances changed.

The previous release neither writes nor reads any of it.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.create_table(
        "model_scaling",
        sa.Column("model_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("model_id", name=op.f("pk_model_scaling")),
    )
    op.create_index("ix_model_scaling_due_at", "model_scaling", ["due_at"])
    op.create_table(
        "scaling_decision",
        sa.Column("decision_id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("model_id", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("before", sa.Integer(), nullable=False),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("connected", sa.Integer(), nullable=False),
        sa.Column("least", sa.Integer(), nullable=False),
        sa.Column("most", sa.Integer(), nullable=False),
        sa.Column("scheduled", sa.Boolean(), nullable=False),
        sa.Column("numbers", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("decision_id", name=op.f("pk_scaling_decision")),
    )
    op.create_index("ix_scaling_decision_model", "scaling_decision", ["account_id", "model_id", "decision_id"])
    op.create_index("ix_scaling_decision_decided_at", "scaling_decision", ["decided_at"])
    op.add_column("hosting_request", sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("hosting_request", "changed_at")
    op.drop_table("scaling_decision")
    op.drop_table("model_scaling")
