"""Named configurations for servers.

The previous release can run beside this one: it has no templates, and stores the template of a server unchecked.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.create_table(
        "server_template",
        sa.Column("template_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("raw_configuration", sa.Text(), nullable=False),
        sa.Column("labels", postgresql.JSONB(), nullable=False),
        sa.Column("max_instances", sa.BigInteger(), nullable=True),
        sa.Column("internal_name", sa.Text(), nullable=True),
        sa.Column("username", sa.Text(), nullable=True),
        sa.Column("capacity", postgresql.JSONB(), nullable=True),
        sa.Column("tariffication_price", sa.Numeric(20, 9), nullable=False),
        sa.Column("tariffication_period", sa.Text(), nullable=True),
        sa.Column("cost_price", sa.Numeric(20, 9), nullable=True),
        sa.Column("public_price", sa.Numeric(20, 9), nullable=True),
        sa.Column("public_price_period", sa.Text(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("template_id", name=op.f("pk_server_template")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_server_template_account_id_name")),
    )
    op.create_index(
        "ix_server_template_public",
        "server_template",
        ["account_id"],
        postgresql_where=sa.text("public_price IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_table("server_template")
