"""The web origins whose pages may call with a key. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.add_column(
        "api_key", sa.Column("allowed_origins", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False)
    )


def downgrade() -> None:
    op.drop_column("api_key", "allowed_origins")
