"""SQL that writes samples of the past: a quarter of an hour from one minute, and packed days of services."""

from typing import Final

import sqlalchemy as sa

from mlpcore.features.metrics.kinds import CallKind, GaugeKind
from mlpcore.features.metrics.tables import FIGURES, LARGESTS, LEASTS, SUMS

_NUMBERS: Final = (*SUMS, *LEASTS, *LARGESTS)


def _timed(text: str, *moments: str) -> sa.TextClause:
    return sa.text(text).bindparams(*(sa.bindparam(name, type_=sa.DateTime(timezone=True)) for name in moments))


def _other_minutes(table: str, keys: str, values: str) -> sa.TextClause:
    return _timed(
        f"""
        INSERT INTO {table} (start, {keys}, {values})
        SELECT r.start + minute * interval '1 minute', {keys}, {values}
        FROM {table} AS r, generate_series(1, 14) AS minute WHERE r.start = :start ON CONFLICT DO NOTHING
        """,  # noqa: S608  constant names
        "start",
    )


FILL_QUARTER: Final = (
    _other_minutes("call_minute", "kind, subject_id, part_id", f"{', '.join(_NUMBERS)}, buckets, counts"),
    _other_minutes("gauge_minute", "kind, owner_id, subject_id", "figures"),
    _timed(
        """
        INSERT INTO sample_period (seconds, start, covered_seconds, pending)
        SELECT 60, :start + minute * interval '1 minute', 60, true FROM generate_series(0, 14) AS minute
        ON CONFLICT (seconds, start) DO UPDATE SET pending = true
        """,
        "start",
    ),
)
"""Copies the rows of the minute at `start` to the 14 minutes after it that have none, and notes all as changed."""

_QUARTERS: Final = "generate_series(0, 95) AS quarter"
_DAYS: Final = "generate_series(CAST(:first AS timestamptz), :last, interval '1 day') AS day"
_CALLS: Final = f"""
    INSERT INTO call_day
        (kind, subject_id, start, part_id, slots, {", ".join(_NUMBERS)}, bucket_slots, buckets, counts)
    SELECT {CallKind.MODEL.value}, i.model_id, day, i.instance_id, c.*, h.*
    FROM instance AS i, {_DAYS}, LATERAL (
        SELECT array_agg(quarter::smallint), {", ".join("array_agg((random() * 90000)::bigint)" for _ in _NUMBERS)}
        FROM {_QUARTERS} WHERE day IS NOT NULL AND i.instance_id > 0
    ) AS c, LATERAL (
        SELECT array_agg(quarter::smallint ORDER BY quarter, bucket),
            array_agg(bucket::smallint ORDER BY quarter, bucket), array_agg((random() * 5000)::bigint)
        FROM {_QUARTERS}, unnest(ARRAY[-14, -12, 19, 20, 21, 22, 23, 25]) AS bucket
        WHERE day IS NOT NULL AND i.instance_id > 0
    ) AS h
    WHERE i.model_id = ANY(:models)
"""  # noqa: S608  constant names
_GAUGES: Final = f"""
    INSERT INTO gauge_day (kind, owner_id, start, subject_id, slots, figures)
    SELECT kind, owner_id, day, subject_id, (SELECT array_agg(quarter::smallint) FROM {_QUARTERS}), g.figures
    FROM (
        SELECT {GaugeKind.INSTANCE.value} AS kind, model_id AS owner_id, instance_id AS subject_id FROM instance
        WHERE model_id = ANY(:models)
        UNION ALL
        SELECT {GaugeKind.MODEL_STATE.value}, account_id, model_id FROM model WHERE model_id = ANY(:models)
    ) AS s, {_DAYS}, LATERAL (
        SELECT array_agg(CASE WHEN place < 8 THEN (random() * 900)::real END ORDER BY quarter, place) AS figures
        FROM {_QUARTERS}, generate_series(1, {FIGURES}) AS place WHERE day IS NOT NULL AND subject_id > 0
    ) AS g
"""  # noqa: S608  constant names
_PERIODS: Final = """
    INSERT INTO sample_period (seconds, start, covered_seconds, pending)
    SELECT 900, quarter, 900, false
    FROM generate_series(CAST(:first AS timestamptz), :last, interval '15 minutes') AS quarter
    WHERE cardinality(CAST(:models AS bigint[])) > 0 ON CONFLICT DO NOTHING
"""
PACKED_DAYS: Final = tuple(_timed(text, "first", "last") for text in (_CALLS, _GAUGES, _PERIODS))
"""Writes the packed days from `first` to `last` of the services `models`, with calls in each quarter of an hour.

Numbers are random: PostgreSQL compresses equal ones.
"""
PACKED_BYTES: Final = sa.text(
    "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid "
    "WHERE i.inhparent = ANY(ARRAY['call_day', 'gauge_day', 'call_daily', 'gauge_daily']::regclass[])"
)
