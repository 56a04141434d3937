"""Answers to requests to the team. The previous release can run beside it: it neither reads nor writes the new columns."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("team_request", sa.Column("state", sa.Text(), server_default=sa.text("'OPEN'"), nullable=False))
    op.add_column("team_request", sa.Column("answer", sa.Text(), nullable=True))
    op.add_column("team_request", sa.Column("answered_by", sa.Text(), nullable=True))
    op.add_column("team_request", sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    for column in ("answered_at", "answered_by", "answer", "state"):
        op.drop_column("team_request", column)
