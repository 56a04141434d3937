import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("prediction", sa.Column("output_key", sa.String))
    op.add_column("prediction", sa.Column("output_size", sa.BigInteger))
    op.execute("UPDATE prediction SET output_size = octet_length(output) WHERE output IS NOT NULL")


def downgrade() -> None:
    op.drop_column("prediction", "output_size")
    op.drop_column("prediction", "output_key")
