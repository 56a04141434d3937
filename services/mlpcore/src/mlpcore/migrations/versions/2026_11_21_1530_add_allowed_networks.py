"""Networks from which an account's calls are accepted. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("platform_account", sa.Column("allowed_networks", postgresql.JSONB, nullable=True))


def downgrade() -> None:
    op.drop_column("platform_account", "allowed_networks")
