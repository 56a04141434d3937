"""The time zone of an account's schedules, which services had. The previous release reads that of the services.

An account gets the zone that most of its scheduled services have; the most recent change decides between equals. A
service that names none has the installation's, and an account of mostly such services keeps it, too.
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.add_column("platform_account", sa.Column("time_zone", sa.Text(), nullable=True))
    op.execute("""
        UPDATE platform_account SET time_zone = chosen.zone
        FROM (
            SELECT DISTINCT ON (account_id) account_id, auto_scaling_configuration ->> 'timeZone' AS zone
            FROM model
            WHERE deleted_at IS NULL
              AND jsonb_array_length(auto_scaling_configuration -> 'scheduledInstanceCountSettings') > 0
            GROUP BY account_id, zone
            ORDER BY account_id, count(*) DESC, max(updated_at) DESC
        ) AS chosen
        WHERE chosen.account_id = platform_account.account_id
    """)


def downgrade() -> None:
    op.drop_column("platform_account", "time_zone")
