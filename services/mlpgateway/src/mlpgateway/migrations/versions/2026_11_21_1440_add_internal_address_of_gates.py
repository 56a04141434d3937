import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("gate_member", sa.Column("internal_address", sa.String, nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("gate_member", "internal_address")
