"""The arguments of a task's error, for its text in other languages. The previous release neither reads nor writes them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("job", sa.Column("error_args", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("job", "error_args")
