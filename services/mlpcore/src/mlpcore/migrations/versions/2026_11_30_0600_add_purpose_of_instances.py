"""What an instance is for. The previous release can run beside it: each instance that it creates serves, and so does each
that exists. It would count an instance with another purpose as one that serves, but creates none.
"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.add_column("instance", sa.Column("purpose", sa.Text(), server_default="serve", nullable=False))


def downgrade() -> None:
    op.drop_column("instance", "purpose")
