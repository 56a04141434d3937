"""When the interval of a gate's report ended. The previous release writes none, and its reports count as unknown."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.add_column("sample_report", sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_sample_report_ended_at", "sample_report", ["ended_at"])


def downgrade() -> None:
    op.drop_index("ix_sample_report_ended_at", "sample_report")
    op.drop_column("sample_report", "ended_at")
