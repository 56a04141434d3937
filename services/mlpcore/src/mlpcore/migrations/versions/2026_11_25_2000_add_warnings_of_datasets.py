"""Codes and arguments of the warnings of datasets. The previous release writes and reads their English text alone.

Texts without arguments get their code; others keep only the text until the content is replaced.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("dataset", sa.Column("warnings", postgresql.JSONB(), nullable=True))
    op.execute("""
        UPDATE dataset SET warnings = jsonb_build_array(jsonb_build_object('code', known.code, 'args', '{}'::jsonb))
        FROM (VALUES
            ('empty', 'the dataset is empty'),
            ('no_rows', 'the dataset has no rows'),
            ('no_lines', 'the dataset has no lines'),
            ('same_label', 'all rows have the same label')
        ) AS known (code, text)
        WHERE dataset.warning = known.text
    """)


def downgrade() -> None:
    op.drop_column("dataset", "warnings")
