"""Samples of calls and resources, partitioned by time. The previous release can run beside it: it writes none of them.

Partitions are in a schema of their own. The service's role may create no table, so a function of the owner creates and
drops them; it does nothing else, whatever its argument.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"

_SUMS = (
    "answered", "failed", "refused", "reconnects", "active_ms", "waiting_ms", "timed", "time_ms", "waited", "wait_ms",
)  # fmt: skip
_OTHERS = ("min_ms", "max_ms", "max_wait_ms")
_FUNCTION = """
CREATE FUNCTION maintain_sample_partitions(moment timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tier record;
    lower_bound timestamptz;
    part record;
    part_name text;
    changed integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7237108) THEN
        RETURN 0;
    END IF;
    FOR tier IN SELECT * FROM (VALUES
        ('call_sample', 'hour', interval '1 hour', interval '7 hours'),
        ('gauge_sample', 'hour', interval '1 hour', interval '7 hours'),
        ('call_minute', 'day', interval '1 day', interval '8 days'),
        ('gauge_minute', 'day', interval '1 day', interval '8 days'),
        ('call_quarter', 'day', interval '1 day', interval '3 days'),
        ('gauge_quarter', 'day', interval '1 day', interval '3 days'),
        ('call_day', 'month', interval '1 month', interval '13 months'),
        ('gauge_day', 'month', interval '1 month', interval '13 months')
    ) AS t(name, unit, width, kept)
    LOOP
        lower_bound := date_trunc(tier.unit, moment - tier.kept, 'UTC');
        WHILE lower_bound <= moment + tier.width LOOP
            part_name := tier.name || to_char(lower_bound AT TIME ZONE 'UTC', '_YYYYMMDDHH24');
            IF to_regclass('sample_partitions.' || part_name) IS NULL THEN
                EXECUTE format('CREATE TABLE sample_partitions.%I (LIKE public.%I INCLUDING ALL)', part_name, tier.name);
                EXECUTE format(
                    'ALTER TABLE public.%I ATTACH PARTITION sample_partitions.%I FOR VALUES FROM (%L) TO (%L)',
                    tier.name, part_name, lower_bound,
                    (lower_bound AT TIME ZONE 'UTC' + tier.width) AT TIME ZONE 'UTC'
                );
                changed := changed + 1;
            END IF;
            lower_bound := (lower_bound AT TIME ZONE 'UTC' + tier.width) AT TIME ZONE 'UTC';
        END LOOP;
        FOR part IN
            SELECT c.relname FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = ('public.' || tier.name)::regclass
            AND c.relname < tier.name || to_char(
                date_trunc(tier.unit, moment - tier.kept, 'UTC') AT TIME ZONE 'UTC', '_YYYYMMDDHH24'
            )
        LOOP
            EXECUTE format('DROP TABLE sample_partitions.%I', part.relname);
            changed := changed + 1;
        END LOOP;
    END LOOP;
    RETURN changed;
END $$
"""


def _id(name: str, kind: type[sa.types.TypeEngine[int]] = sa.BigInteger) -> sa.Column[int]:
    return sa.Column(name, kind(), autoincrement=False, nullable=False)


def _start() -> sa.Column[object]:
    return sa.Column("start", sa.DateTime(timezone=True), nullable=False)


def _create_calls(name: str) -> None:
    op.create_table(
        name,
        _id("kind", sa.SmallInteger),
        _id("subject_id"),
        _start(),
        _id("part_id"),
        *(sa.Column(column, sa.BigInteger(), nullable=False) for column in _SUMS),
        *(sa.Column(column, sa.BigInteger()) for column in _OTHERS),
        sa.Column("buckets", postgresql.ARRAY(sa.SmallInteger()), nullable=False),
        sa.Column("counts", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject_id", "start", "part_id", name=op.f(f"pk_{name}")),
        postgresql_partition_by="RANGE (start)",
    )


def _create_gauges(name: str, *columns: sa.Column[object]) -> None:
    op.create_table(
        name,
        _id("kind", sa.SmallInteger),
        _id("owner_id"),
        _start(),
        _id("subject_id"),
        *columns,
        sa.Column("figures", postgresql.ARRAY(sa.REAL[float]()), nullable=False),
        sa.PrimaryKeyConstraint("kind", "owner_id", "start", "subject_id", name=op.f(f"pk_{name}")),
        postgresql_partition_by="RANGE (start)",
    )


def _slots(name: str) -> sa.Column[object]:
    return sa.Column(name, postgresql.ARRAY(sa.SmallInteger()), nullable=False)


def upgrade() -> None:
    for tier in ("sample", "minute", "quarter"):
        _create_calls(f"call_{tier}")
        _create_gauges(f"gauge_{tier}")
    op.create_table(
        "call_day",
        _id("kind", sa.SmallInteger),
        _id("subject_id"),
        _start(),
        _id("part_id"),
        _slots("slots"),
        *(sa.Column(column, postgresql.ARRAY(sa.BigInteger()), nullable=False) for column in (*_SUMS, *_OTHERS)),
        _slots("bucket_slots"),
        _slots("buckets"),
        sa.Column("counts", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject_id", "start", "part_id", name=op.f("pk_call_day")),
        postgresql_partition_by="RANGE (start)",
    )
    _create_gauges("gauge_day", _slots("slots"))
    op.create_table(
        "sample_period",
        _id("seconds", sa.Integer),
        _start(),
        sa.Column("covered_seconds", sa.Integer(), nullable=False),
        sa.Column("pending", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("seconds", "start", name=op.f("pk_sample_period")),
    )
    op.create_index(
        "ix_sample_period_pending", "sample_period", ["seconds", "start"], postgresql_where=sa.text("pending")
    )
    op.create_table(
        "sample_report",
        sa.Column("reporter", postgresql.UUID(as_uuid=True), nullable=False),
        _id("sequence"),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("reporter", "sequence", name=op.f("pk_sample_report")),
    )
    op.create_table(
        "server_sample_report",
        _id("server_id"),
        sa.Column("run", postgresql.UUID(as_uuid=True), nullable=False),
        _id("sequence"),
        sa.PrimaryKeyConstraint("server_id", name=op.f("pk_server_sample_report")),
    )
    op.create_table(
        "request_metric",
        sa.Column("day", sa.Date(), nullable=False),
        _id("model_id"),
        _id("caller_account_id"),
        sa.Column("request_type", sa.Text(), nullable=False),
        sa.Column("is_success", sa.Boolean(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "day", "model_id", "caller_account_id", "request_type", "is_success", name=op.f("pk_request_metric")
        ),
    )
    op.execute("CREATE SCHEMA sample_partitions")
    op.execute(_FUNCTION)
    op.execute("REVOKE ALL ON FUNCTION maintain_sample_partitions(timestamptz) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION maintain_sample_partitions(timestamptz) TO mlpcore")


def downgrade() -> None:
    op.execute("DROP FUNCTION maintain_sample_partitions(timestamptz)")
    for table in ("request_metric", "server_sample_report", "sample_report", "sample_period", "gauge_day", "call_day"):
        op.drop_table(table)
    for tier in ("sample", "minute", "quarter"):
        op.drop_table(f"gauge_{tier}")
        op.drop_table(f"call_{tier}")
    op.execute("DROP SCHEMA sample_partitions")
