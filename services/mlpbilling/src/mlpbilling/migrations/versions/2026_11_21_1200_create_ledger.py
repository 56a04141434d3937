"""Creates the append-only ledger and the balances derived from it"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from mlplace_runtime.db.messaging import create_messaging_tables, drop_messaging_tables

revision = "0001"
down_revision = None

_APPEND_ONLY = ("ledger_account", "ledger_transaction", "posting")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    create_messaging_tables(op)
    _create_accounts()
    _create_transactions()
    _create_balances()
    _refuse_change()
    _demand_zero_sums()


def _create_accounts() -> None:
    op.create_table(
        "ledger_account",
        sa.Column("id", sa.BigInteger, sa.Identity()),
        sa.Column("account_id", sa.BigInteger, nullable=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.CheckConstraint("currency IN ('RUBLE', 'TOKEN')", name="ck_ledger_account_currency"),
        sa.CheckConstraint(
            "CASE WHEN account_id IS NULL THEN kind IN ('PLATFORM_FEE', 'EXTERNAL', 'BONUS') "
            "ELSE kind IN ('MAIN', 'INCOME') END",
            name="ck_ledger_account_kind",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_ledger_account"),
        sa.UniqueConstraint(
            "account_id",
            "kind",
            "currency",
            name="uq_ledger_account_account_id_kind_currency",
            postgresql_nulls_not_distinct=True,
        ),
        sa.UniqueConstraint("id", "currency", name="uq_ledger_account_id_currency"),
    )


def _create_transactions() -> None:
    op.create_table(
        "ledger_transaction",
        sa.Column("id", postgresql.UUID(as_uuid=True)),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("idempotency_key", sa.Text, nullable=False),
        sa.Column("occurred_at", _MOMENT, nullable=False),
        sa.Column("recorded_at", _MOMENT, nullable=False, server_default=sa.func.now()),
        sa.Column("details", postgresql.JSONB, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ledger_transaction"),
        sa.UniqueConstraint("idempotency_key", name="uq_ledger_transaction_idempotency_key"),
    )
    op.create_table(
        "posting",
        sa.Column("transaction_id", postgresql.UUID(as_uuid=True)),
        sa.Column("ledger_account_id", sa.BigInteger),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("amount_nano", sa.BigInteger, nullable=False),
        sa.CheckConstraint("amount_nano <> 0", name="ck_posting_amount"),
        sa.ForeignKeyConstraint(
            ["ledger_account_id", "currency"],
            ["ledger_account.id", "ledger_account.currency"],
            name="fk_posting_ledger_account_id_ledger_account",
        ),
        sa.ForeignKeyConstraint(
            ["transaction_id"], ["ledger_transaction.id"], name="fk_posting_transaction_id_ledger_transaction"
        ),
        sa.PrimaryKeyConstraint("transaction_id", "ledger_account_id", name="pk_posting"),
    )
    op.create_index("ix_posting_ledger_account_id", "posting", ["ledger_account_id"])


def _create_balances() -> None:
    op.create_table(
        "billing_account",
        sa.Column("account_id", sa.BigInteger, autoincrement=False),
        sa.Column("no_blocking", sa.Boolean, nullable=False),
        sa.Column("limits_version", sa.BigInteger, nullable=False),
        sa.Column("blocked", sa.Boolean, nullable=False),
        sa.Column("below_zero_since", _MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("account_id", name="pk_billing_account"),
    )
    op.create_table(
        "balance",
        sa.Column("account_id", sa.BigInteger, autoincrement=False),
        sa.Column("currency", sa.Text),
        sa.Column("main_nano", sa.BigInteger, nullable=False),
        sa.Column("income_nano", sa.BigInteger, nullable=False),
        sa.Column("held_nano", sa.BigInteger, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.CheckConstraint("held_nano >= 0", name="ck_balance_held"),
        sa.PrimaryKeyConstraint("account_id", "currency", name="pk_balance"),
    )


def _refuse_change() -> None:
    """Makes the tables append-only. The service's role lacks the rights; the trigger also stops the owner's role."""
    op.execute(
        """
        CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '% is append-only: correct it by a new transaction', TG_TABLE_NAME
                USING ERRCODE = 'restrict_violation';
        END $$
        """
    )
    for table in _APPEND_ONLY:
        op.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM mlpbilling")
        op.execute(
            f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change()"
        )


def _demand_zero_sums() -> None:
    op.execute(
        """
        CREATE FUNCTION demand_zero_sum() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF (SELECT sum(amount_nano) FROM public.posting
                WHERE transaction_id = NEW.transaction_id AND currency = NEW.currency) <> 0 THEN
                RAISE EXCEPTION 'ledger transaction % does not sum to zero in %', NEW.transaction_id, NEW.currency
                    USING ERRCODE = 'check_violation';
            END IF;
            RETURN NULL;
        END $$
        """
    )
    op.execute(
        "CREATE CONSTRAINT TRIGGER zero_sum AFTER INSERT ON posting DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION demand_zero_sum()"
    )


def downgrade() -> None:
    for table in ("balance", "billing_account", "posting", "ledger_transaction", "ledger_account"):
        op.drop_table(table)
    for function in ("demand_zero_sum", "refuse_ledger_change"):
        op.execute(f"DROP FUNCTION {function}()")
    drop_messaging_tables(op)
