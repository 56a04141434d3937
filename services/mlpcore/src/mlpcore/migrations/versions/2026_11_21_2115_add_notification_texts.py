"""The translatable form of a notification's text. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("notification", sa.Column("text_key", sa.Text))
    op.add_column("notification", sa.Column("text_args", postgresql.JSONB))


def downgrade() -> None:
    op.drop_column("notification", "text_args")
    op.drop_column("notification", "text_key")
