"""One default group of an account. Old code reads and writes beside it.

Of several defaults, the one with the lowest id stays: services without a group ran there.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    _allow_one_default()


def downgrade() -> None:
    op.drop_index("uq_resource_group_default", "resource_group")


def _allow_one_default() -> None:
    op.execute(
        """
        UPDATE resource_group AS later SET is_default = false
        WHERE is_default AND EXISTS (
            SELECT FROM resource_group AS first
            WHERE first.account_id = later.account_id AND first.is_default AND first.group_id < later.group_id)
        """
    )
    op.create_index(
        "uq_resource_group_default",
        "resource_group",
        ["account_id"],
        unique=True,
        postgresql_where=sa.text("is_default"),
    )
