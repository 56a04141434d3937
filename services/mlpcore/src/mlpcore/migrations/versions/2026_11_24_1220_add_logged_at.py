"""When the capacity of a server was last logged. The previous release neither reads nor writes it."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.add_column("server", sa.Column("logged_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("server", "logged_at")
