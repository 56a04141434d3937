"""Named secrets, references to them, and the encrypted settings of models. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "secret",
        sa.Column("secret_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("model_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value_sealed", sa.LargeBinary(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("secret_id", name=op.f("pk_secret")),
        sa.UniqueConstraint("account_id", "model_id", "name", name=op.f("uq_secret_account_id_model_id_name")),
    )
    op.add_column(
        "model", sa.Column("secret_env", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False)
    )
    op.add_column("model", sa.Column("settings_sealed", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("model", "settings_sealed")
    op.drop_column("model", "secret_env")
    op.drop_table("secret")
