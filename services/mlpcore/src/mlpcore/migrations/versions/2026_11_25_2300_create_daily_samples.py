"""Days of samples, each added up. The previous release can run beside it: what it packs is added up later."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0032"
down_revision = "0031"

_SUMS = (
    "answered", "failed", "refused", "reconnects", "active_ms", "waiting_ms", "timed", "time_ms", "waited", "wait_ms",
)  # fmt: skip
_OTHERS = ("min_ms", "max_ms", "max_wait_ms")
_TIERS = """
        ('call_sample', 'hour', interval '1 hour', interval '7 hours'),
        ('gauge_sample', 'hour', interval '1 hour', interval '7 hours'),
        ('call_minute', 'day', interval '1 day', interval '8 days'),
        ('gauge_minute', 'day', interval '1 day', interval '8 days'),
        ('call_quarter', 'day', interval '1 day', interval '3 days'),
        ('gauge_quarter', 'day', interval '1 day', interval '3 days'),
        ('call_day', 'month', interval '1 month', interval '13 months'),
        ('gauge_day', 'month', interval '1 month', interval '13 months')"""
_DAILY = """,
        ('call_daily', 'month', interval '1 month', interval '13 months'),
        ('gauge_daily', 'month', interval '1 month', interval '13 months')"""


def upgrade() -> None:
    op.create_table(
        "call_daily",
        _id("kind", sa.SmallInteger),
        _id("subject_id"),
        _start(),
        _id("part_id"),
        *(sa.Column(column, sa.BigInteger(), nullable=False) for column in _SUMS),
        *(sa.Column(column, sa.BigInteger()) for column in _OTHERS),
        sa.Column("buckets", postgresql.ARRAY(sa.SmallInteger()), nullable=False),
        sa.Column("counts", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject_id", "start", "part_id", name=op.f("pk_call_daily")),
        postgresql_partition_by="RANGE (start)",
    )
    op.create_table(
        "gauge_daily",
        _id("kind", sa.SmallInteger),
        _id("owner_id"),
        _start(),
        _id("subject_id"),
        sa.Column("figures", postgresql.ARRAY(sa.REAL[float]()), nullable=False),
        sa.PrimaryKeyConstraint("kind", "owner_id", "start", "subject_id", name=op.f("pk_gauge_daily")),
        postgresql_partition_by="RANGE (start)",
    )
    op.execute(_function(_TIERS + _DAILY))


def downgrade() -> None:
    op.execute(_function(_TIERS))
    op.drop_table("gauge_daily")
    op.drop_table("call_daily")
    op.execute("DELETE FROM sample_period WHERE seconds = 86400")


def _id(name: str, kind: type[sa.types.TypeEngine[int]] = sa.BigInteger) -> sa.Column[int]:
    return sa.Column(name, kind(), autoincrement=False, nullable=False)


def _start() -> sa.Column[object]:
    return sa.Column("start", sa.DateTime(timezone=True), nullable=False)


def _function(tiers: str) -> str:
    """`tiers`: tables, the length of their partitions, and how long these are kept."""
    return f"""
CREATE OR REPLACE FUNCTION maintain_sample_partitions(moment timestamptz) RETURNS integer
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
    FOR tier IN SELECT * FROM (VALUES{tiers}
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
"""  # noqa: S608  constant text
