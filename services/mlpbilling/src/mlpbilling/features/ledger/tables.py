"""The append-only ledger and the tables derived from it.

A migration revokes UPDATE and DELETE on the first three tables from the service's role. It adds a trigger that refuses
both to every role, and one that refuses to commit a transaction whose postings do not sum to zero per currency.
"""

import uuid
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class LedgerAccount(Base):
    """An account of the ledger: MAIN and INCOME of an account, or one of the platform's own."""

    __tablename__ = "ledger_account"
    __table_args__ = (
        sa.UniqueConstraint("id", "currency"),
        sa.UniqueConstraint("account_id", "kind", "currency", postgresql_nulls_not_distinct=True),
        sa.CheckConstraint("currency IN ('RUBLE', 'TOKEN')", name="currency"),
        sa.CheckConstraint(
            "CASE WHEN account_id IS NULL THEN kind IN ('PLATFORM_FEE', 'EXTERNAL', 'BONUS', 'UNCOLLECTED') "
            "ELSE kind IN ('MAIN', 'INCOME') END",
            name="kind",
        ),
    )

    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int | None]
    kind: Mapped[str] = mapped_column(sa.Text)
    currency: Mapped[str] = mapped_column(sa.Text)


class LedgerTransaction(Base):
    """`idempotency_key` names the usage, refill or payment behind it. `details` are for people who read the ledger."""

    __tablename__ = "ledger_transaction"
    __table_args__ = (sa.UniqueConstraint("idempotency_key"),)

    id: Mapped[uuid.UUID] = mapped_column(postgresql.UUID(as_uuid=True), primary_key=True)
    kind: Mapped[str] = mapped_column(sa.Text)
    idempotency_key: Mapped[str] = mapped_column(sa.Text)
    occurred_at: Mapped[datetime]
    recorded_at: Mapped[datetime] = mapped_column(server_default=sa.func.now())
    details: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)


class Posting(Base):
    """A positive amount is incoming money. A transaction has at most one posting per ledger account."""

    __tablename__ = "posting"
    __table_args__ = (
        sa.ForeignKeyConstraint(["ledger_account_id", "currency"], ["ledger_account.id", "ledger_account.currency"]),
        sa.CheckConstraint("amount_nano <> 0", name="amount"),
    )

    transaction_id: Mapped[uuid.UUID] = mapped_column(sa.ForeignKey("ledger_transaction.id"), primary_key=True)
    ledger_account_id: Mapped[int] = mapped_column(primary_key=True, index=True)
    currency: Mapped[str] = mapped_column(sa.Text)
    amount_nano: Mapped[int]


class BillingAccount(Base):
    """An account's standing. Everything that moves the account's money locks this row.

    `no_blocking` and `limits_version` come from mlpcore; `blocked` and `below_zero_since` follow from the balances.
    """

    __tablename__ = "billing_account"

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    no_blocking: Mapped[bool]
    limits_version: Mapped[int]
    blocked: Mapped[bool]
    below_zero_since: Mapped[datetime | None]


class Balance(Base):
    """The sums of an account's postings to MAIN and INCOME, and what open reservations hold of MAIN.

    Derived data: stored in the same transaction as the postings, and compared with them by the verification. `version`
    rises with each BalanceChanged. `owed_nano` is the sum of open debts. `advanced_nano` is the part of a negative
    balance that owners received before debts were introduced.
    """

    __tablename__ = "balance"
    __table_args__ = (
        sa.CheckConstraint("held_nano >= 0", name="held"),
        sa.CheckConstraint("owed_nano >= 0 AND advanced_nano >= 0", name="owed"),
        sa.Index("ix_balance_owed", "account_id", postgresql_where=sa.text("owed_nano > 0")),
    )

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    currency: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    main_nano: Mapped[int]
    income_nano: Mapped[int]
    held_nano: Mapped[int]
    owed_nano: Mapped[int] = mapped_column(server_default="0")
    advanced_nano: Mapped[int] = mapped_column(server_default="0")
    version: Mapped[int]


class DebtRow(Base):
    """The part of a charge that the payer had no money for; it waits in UNCOLLECTED. The smallest id is the oldest.

    `usage_id` is the id of the usage or rent charge. `owed_*` is what the charge `transaction_id` left open; `open_*`
    is what remains after payments. The fee is the platform's part. The service's role may change `open_*` only.
    """

    __tablename__ = "debt"
    __table_args__ = (
        sa.UniqueConstraint("usage_id"),
        sa.CheckConstraint("open_nano BETWEEN 0 AND owed_nano", name="open"),
        sa.CheckConstraint("open_fee_nano BETWEEN 0 AND open_nano", name="open_fee"),
        sa.Index("ix_debt_open", "payer_account_id", "currency", "id", postgresql_where=sa.text("open_nano > 0")),
    )

    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    usage_id: Mapped[uuid.UUID] = mapped_column(postgresql.UUID(as_uuid=True))
    transaction_id: Mapped[uuid.UUID] = mapped_column(sa.ForeignKey("ledger_transaction.id"))
    payer_account_id: Mapped[int]
    owner_account_id: Mapped[int]
    currency: Mapped[str] = mapped_column(sa.Text)
    owed_nano: Mapped[int]
    owed_fee_nano: Mapped[int]
    open_nano: Mapped[int]
    open_fee_nano: Mapped[int]


class DebtPaymentRow(Base):
    """A paid part of a debt, by a transaction that may pay several debts. Append-only."""

    __tablename__ = "debt_payment"
    __table_args__ = (sa.CheckConstraint("paid_nano > 0 AND fee_nano BETWEEN 0 AND paid_nano", name="paid"),)

    debt_id: Mapped[int] = mapped_column(sa.ForeignKey("debt.id"), primary_key=True)
    transaction_id: Mapped[uuid.UUID] = mapped_column(sa.ForeignKey("ledger_transaction.id"), primary_key=True)
    paid_nano: Mapped[int]
    fee_nano: Mapped[int]
