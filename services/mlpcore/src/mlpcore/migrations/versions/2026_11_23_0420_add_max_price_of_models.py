"""The maximal price of a call, which a model's owner publishes. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("model", sa.Column("max_price_nano", sa.BigInteger, nullable=True))


def downgrade() -> None:
    op.drop_column("model", "max_price_nano")
