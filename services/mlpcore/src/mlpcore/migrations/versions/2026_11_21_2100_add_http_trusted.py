"""Whether a server of the platform reported an instance's address. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("instance", sa.Column("http_trusted", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("instance", "http_trusted")
