"""Tokens of mailed links, and whether an address has been confirmed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "mail_tokens",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_mail_tokens")),
    )
    op.create_index(op.f("ix_mail_tokens_user_id"), "mail_tokens", ["user_id"])
    op.create_index(op.f("ix_mail_tokens_expires_at"), "mail_tokens", ["expires_at"])
    op.add_column("users", sa.Column("email_confirmed_at", _MOMENT, nullable=True))


def downgrade() -> None:
    op.drop_column("users", "email_confirmed_at")
    op.drop_table("mail_tokens")
