"""Creates debts: what payers below zero still owe to owners of models. Former code can write meanwhile"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"

_UUID = postgresql.UUID(as_uuid=True)


def upgrade() -> None:
    _allow_platform_purses("'PLATFORM_FEE', 'EXTERNAL', 'BONUS', 'UNCOLLECTED'")
    _create_debt()
    _create_debt_payment()
    _extend_balance()


def _allow_platform_purses(kinds: str) -> None:
    """Replaces the constraint; the table is small.

    A downgrade fails once there was a debt, since the ledger keeps it.
    """
    op.drop_constraint("ck_ledger_account_kind", "ledger_account", type_="check")
    op.execute(
        "ALTER TABLE ledger_account ADD CONSTRAINT ck_ledger_account_kind CHECK ("
        f"CASE WHEN account_id IS NULL THEN kind IN ({kinds}) ELSE kind IN ('MAIN', 'INCOME') END)"
    )


def _create_debt() -> None:
    numbers = ("payer_account_id", "owner_account_id", "owed_nano", "owed_fee_nano", "open_nano", "open_fee_nano")
    op.create_table(
        "debt",
        sa.Column("id", sa.BigInteger, sa.Identity()),
        sa.Column("usage_id", _UUID, nullable=False),
        sa.Column("transaction_id", _UUID, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in numbers),
        sa.CheckConstraint("open_nano BETWEEN 0 AND owed_nano", name="ck_debt_open"),
        sa.CheckConstraint("open_fee_nano BETWEEN 0 AND open_nano", name="ck_debt_open_fee"),
        sa.ForeignKeyConstraint(
            ["transaction_id"], ["ledger_transaction.id"], name="fk_debt_transaction_id_ledger_transaction"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_debt"),
        sa.UniqueConstraint("usage_id", name="uq_debt_usage_id"),
    )
    op.create_index(
        "ix_debt_open", "debt", ["payer_account_id", "currency", "id"], postgresql_where=sa.text("open_nano > 0")
    )
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON debt FROM mlpbilling")
    op.execute("GRANT UPDATE (open_nano, open_fee_nano) ON debt TO mlpbilling")


def _create_debt_payment() -> None:
    op.create_table(
        "debt_payment",
        sa.Column("debt_id", sa.BigInteger),
        sa.Column("transaction_id", _UUID),
        sa.Column("paid_nano", sa.BigInteger, nullable=False),
        sa.Column("fee_nano", sa.BigInteger, nullable=False),
        sa.CheckConstraint("paid_nano > 0 AND fee_nano BETWEEN 0 AND paid_nano", name="ck_debt_payment_paid"),
        sa.ForeignKeyConstraint(["debt_id"], ["debt.id"], name="fk_debt_payment_debt_id_debt"),
        sa.ForeignKeyConstraint(
            ["transaction_id"], ["ledger_transaction.id"], name="fk_debt_payment_transaction_id_ledger_transaction"
        ),
        sa.PrimaryKeyConstraint("debt_id", "transaction_id", name="pk_debt_payment"),
    )
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON debt_payment FROM mlpbilling")


def _extend_balance() -> None:
    """Adds columns.

    Negative balances so far are advances: under the former rules owners received everything at once.
    """
    for name in ("owed_nano", "advanced_nano"):
        op.add_column("balance", sa.Column(name, sa.BigInteger, nullable=False, server_default="0"))
    op.execute("UPDATE balance SET advanced_nano = -main_nano WHERE main_nano < 0")
    op.create_check_constraint("ck_balance_owed", "balance", "owed_nano >= 0 AND advanced_nano >= 0")
    op.create_index("ix_balance_owed", "balance", ["account_id"], postgresql_where=sa.text("owed_nano > 0"))


def downgrade() -> None:
    op.drop_index("ix_balance_owed", "balance")
    op.drop_constraint("ck_balance_owed", "balance", type_="check")
    for name in ("owed_nano", "advanced_nano"):
        op.drop_column("balance", name)
    for table in ("debt_payment", "debt"):
        op.drop_table(table)
    _allow_platform_purses("'PLATFORM_FEE', 'EXTERNAL', 'BONUS'")
