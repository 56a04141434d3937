"""The three messaging tables of every service's database (outbox, inbox, dead letters) and their first migration."""

from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from mlplace_runtime.db.base import new_metadata

metadata = new_metadata()


class OperationsProxy(Protocol):
    """The part of `alembic.op` that is used here; the module itself is untyped."""

    def create_table(self, table_name: str, *columns: sa.schema.SchemaItem) -> object: ...

    def create_index(self, index_name: str, table_name: str, columns: list[str]) -> object: ...

    def drop_table(self, table_name: str) -> object: ...


outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("topic", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("value", sa.LargeBinary, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
)

inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("consumer", sa.Text, primary_key=True),
    sa.Column("event_id", postgresql.UUID(as_uuid=True), primary_key=True),
    sa.Column("processed_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now(), index=True),
)

dead_letter = sa.Table(
    "dead_letter",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("consumer", sa.Text, nullable=False),
    sa.Column("topic", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("value", sa.LargeBinary, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("parked_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    sa.Column("replayed_at", sa.DateTime(timezone=True), nullable=True),
)


def create_messaging_tables(op: OperationsProxy) -> None:
    """Creates the tables in each service's first migration. Never change it: later changes are new migrations."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger, sa.Identity()),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("created_at", moment, nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
    )
    op.create_table(
        "inbox",
        sa.Column("consumer", sa.Text),
        sa.Column("event_id", postgresql.UUID(as_uuid=True)),
        sa.Column("processed_at", moment, nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("consumer", "event_id", name="pk_inbox"),
    )
    op.create_index("ix_inbox_processed_at", "inbox", ["processed_at"])
    op.create_table(
        "dead_letter",
        sa.Column("id", sa.BigInteger, sa.Identity()),
        sa.Column("consumer", sa.Text, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("parked_at", moment, nullable=False, server_default=sa.func.now()),
        sa.Column("replayed_at", moment, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_dead_letter"),
    )


def drop_messaging_tables(op: OperationsProxy) -> None:
    for table in ("dead_letter", "inbox", "outbox"):
        op.drop_table(table)
