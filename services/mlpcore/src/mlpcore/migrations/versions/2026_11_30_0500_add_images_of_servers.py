"""Which images a server can run. The previous release can run beside it: its servers run every image, as before."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    op.add_column("server", sa.Column("runs_containers", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("server", sa.Column("programs", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False))


def downgrade() -> None:
    op.drop_column("server", "programs")
    op.drop_column("server", "runs_containers")
