"""When people were told of each trouble of a model. The previous release neither reads nor writes it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.add_column("model_scaling", sa.Column("told", postgresql.JSONB(), server_default="{}", nullable=False))


def downgrade() -> None:
    op.drop_column("model_scaling", "told")
