"""SQL that adds up samples: 10 s into minutes, these into quarters of an hour, these into days; and packs quarters.

Each statement computes whole periods anew from the finer tier, so it may run any number of times, and rows that come
late are added by running it again.
"""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from mlpcore.features.metrics.kinds import OF_USE, GaugeKind
from mlpcore.features.metrics.tables import ALL_SUBJECTS, FIGURES, LARGESTS, LEASTS, SUMS
from mlpcore.features.metrics.tiers import DAILY, EPOCH, QUARTER

_VALUES: Final = (*SUMS, *LEASTS, *LARGESTS)
_KEYS: Final = "kind, subject_id, start, part_id"
_GAUGE_KEYS: Final = "kind, owner_id, start, subject_id"
_UPDATED: Final = ", ".join(f"{name} = excluded.{name}" for name in (*_VALUES, "buckets", "counts"))
_USES: Final = ", ".join(str(kind.value) for kind in (GaugeKind.INSTANCE, GaugeKind.SERVER))


def _calls(source: str, target: str) -> sa.TextClause:
    sums = ", ".join(
        [f"sum(t.{name})::bigint AS {name}" for name in SUMS]
        + [f"min(t.{name}) AS {name}" for name in LEASTS]
        + [f"max(t.{name}) AS {name}" for name in LARGESTS]
    )
    return _timed(
        f"""
        WITH rows AS (
            SELECT kind, subject_id, date_bin(:step, start, :epoch) AS start, part_id, {", ".join(SUMS)},
                {", ".join((*LEASTS, *LARGESTS))}, buckets, counts
            FROM {source} WHERE start >= :since AND start < :until
        ), totals AS (
            SELECT {_KEYS}, {sums} FROM rows t GROUP BY {_KEYS}
        ), by_bucket AS (
            SELECT {_KEYS}, b.bucket, sum(b.count)::bigint AS count
            FROM rows, unnest(buckets, counts) AS b(bucket, count) GROUP BY {_KEYS}, b.bucket
        ), histograms AS (
            SELECT {_KEYS}, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(count ORDER BY bucket) AS counts
            FROM by_bucket GROUP BY {_KEYS}
        )
        INSERT INTO {target} ({_KEYS}, {", ".join(_VALUES)}, buckets, counts)
        SELECT {_KEYS}, {", ".join(_VALUES)}, coalesce(buckets, '{{}}'), coalesce(counts, '{{}}')
        FROM totals LEFT JOIN histograms USING ({_KEYS})
        ORDER BY {_KEYS}
        ON CONFLICT ({_KEYS}) DO UPDATE SET {_UPDATED}
        """  # noqa: S608  constant names
    )


def _figure(position: int) -> str:
    average, of_use = f"avg(figures[{position}])::real", OF_USE.get(position)
    if of_use is None:
        return average
    return f"CASE WHEN kind IN ({_USES}) THEN {of_use}(figures[{position}])::real ELSE {average} END"


_FIGURES: Final = f"ARRAY[{', '.join(_figure(position + 1) for position in range(FIGURES))}]"


def _gauges(source: str, target: str) -> sa.TextClause:
    return _timed(
        f"""
        INSERT INTO {target} ({_GAUGE_KEYS}, figures)
        SELECT kind, owner_id, date_bin(:step, start, :epoch) AS at, subject_id,
            {_FIGURES}
        FROM {source} WHERE start >= :since AND start < :until
        GROUP BY kind, owner_id, at, subject_id
        ORDER BY kind, owner_id, at, subject_id
        ON CONFLICT ({_GAUGE_KEYS}) DO UPDATE SET figures = excluded.figures
        """  # noqa: S608  constant names
    )


def _daily_gauges(source: str) -> sa.TextClause:
    """The row of each subject, and of all subjects of each owner. A sum is unknown if the figure of one subject is."""
    sums = ", ".join(
        f"CASE WHEN count(*) = count(figures[{n}]) THEN sum(figures[{n}]) END" for n in range(1, FIGURES + 1)
    )
    alone = f"({GaugeKind.MODEL_STATE.value}, {GaugeKind.NOTED.value})"
    return _timed(
        f"""
        WITH rows AS (
            SELECT kind, owner_id, subject_id, start, figures FROM {source} WHERE start >= :since AND start < :until
        ), totals AS (
            SELECT kind, owner_id, {ALL_SUBJECTS}::bigint, start, ARRAY[{sums}]::real[] FROM rows
            WHERE kind NOT IN {alone} GROUP BY kind, owner_id, start
        )
        INSERT INTO gauge_daily ({_GAUGE_KEYS}, figures)
        SELECT kind, owner_id, date_bin(:step, start, :epoch) AS at, subject_id, {_FIGURES}
        FROM (SELECT * FROM rows UNION ALL SELECT * FROM totals) AS r
        GROUP BY kind, owner_id, at, subject_id
        ORDER BY kind, owner_id, at, subject_id
        ON CONFLICT ({_GAUGE_KEYS}) DO UPDATE SET figures = excluded.figures
        """  # noqa: S608  constant names
    )


def _timed(text: str) -> sa.TextClause:
    moment = sa.DateTime(timezone=True)
    return sa.text(text).bindparams(
        sa.bindparam("step", type_=sa.Interval),
        sa.bindparam("epoch", EPOCH, type_=moment),
        sa.bindparam("since", type_=moment),
        sa.bindparam("until", type_=moment),
    )


_SLOT: Final = "(extract(epoch FROM start - :since) / 900)::smallint"
PACK_CALLS: Final = sa.text(
    f"""
    WITH rows AS (
        SELECT *, {_SLOT} AS slot FROM call_quarter WHERE start >= :since AND start < :until
    ), packed AS (
        SELECT kind, subject_id, part_id, array_agg(slot ORDER BY slot) AS slots,
            {", ".join(f"array_agg({name} ORDER BY slot) AS {name}" for name in _VALUES)}
        FROM rows GROUP BY kind, subject_id, part_id
    ), histograms AS (
        SELECT kind, subject_id, part_id, array_agg(slot ORDER BY slot, bucket) AS bucket_slots,
            array_agg(bucket ORDER BY slot, bucket) AS buckets, array_agg(count ORDER BY slot, bucket) AS counts
        FROM rows, unnest(buckets, counts) AS b(bucket, count) GROUP BY kind, subject_id, part_id
    )
    INSERT INTO call_day ({_KEYS}, slots, {", ".join(_VALUES)}, bucket_slots, buckets, counts)
    SELECT kind, subject_id, :since, part_id, slots, {", ".join(_VALUES)}, coalesce(bucket_slots, '{{}}'),
        coalesce(buckets, '{{}}'), coalesce(counts, '{{}}')
    FROM packed LEFT JOIN histograms USING (kind, subject_id, part_id)
    ORDER BY kind, subject_id, part_id
    ON CONFLICT ({_KEYS}) DO UPDATE SET slots = excluded.slots, bucket_slots = excluded.bucket_slots, {_UPDATED}
    """  # noqa: S608  constant names
).bindparams(
    sa.bindparam("since", type_=sa.DateTime(timezone=True)), sa.bindparam("until", type_=sa.DateTime(timezone=True))
)
PACK_GAUGES: Final = sa.text(
    f"""
    INSERT INTO gauge_day ({_GAUGE_KEYS}, slots, figures)
    SELECT kind, owner_id, :since, subject_id, array_agg(DISTINCT slot ORDER BY slot),
        array_agg(figure ORDER BY slot, place)
    FROM (SELECT *, {_SLOT} AS slot FROM gauge_quarter WHERE start >= :since AND start < :until) AS rows,
        unnest(figures) WITH ORDINALITY AS f(figure, place)
    GROUP BY kind, owner_id, subject_id
    ORDER BY kind, owner_id, subject_id
    ON CONFLICT ({_GAUGE_KEYS}) DO UPDATE SET slots = excluded.slots, figures = excluded.figures
    """  # noqa: S608  constant names
).bindparams(
    sa.bindparam("since", type_=sa.DateTime(timezone=True)), sa.bindparam("until", type_=sa.DateTime(timezone=True))
)


def _of_day(function: str, columns: Sequence[str]) -> str:
    return ", ".join(f"(SELECT {function}(v) FROM unnest({name}) AS v) AS {name}" for name in columns)  # noqa: S608  constant


_UNPACKED_CALLS: Final = f"""(
    SELECT kind, subject_id, start, part_id, {_of_day("sum", SUMS)}, {_of_day("min", LEASTS)},
        {_of_day("max", LARGESTS)}, buckets, counts
    FROM call_day
) AS d"""  # noqa: S608  constant names
_UNPACKED_GAUGES: Final = (
    "(SELECT kind, owner_id, subject_id, d.start + u.slot * interval '15 minutes' AS start, "  # noqa: S608  constant
    f"d.figures[(u.place - 1) * {FIGURES} + 1 : u.place * {FIGURES}] AS figures FROM gauge_day AS d, "
    "unnest(slots) WITH ORDINALITY AS u(slot, place) WHERE d.start >= :since AND d.start < :until) AS q"
)
NOTE_DAYS: Final = sa.text(
    f"""
    INSERT INTO sample_period (seconds, start, covered_seconds, pending)
    SELECT {DAILY.seconds}, day, 0, EXISTS (
        SELECT FROM sample_period
        WHERE seconds = {QUARTER.seconds} AND start >= day AND start < day + interval '24 hours'
    )
    FROM generate_series(CAST(:since AS timestamptz), :until - interval '24 hours', interval '24 hours') AS day
    WHERE NOT EXISTS (SELECT FROM sample_period WHERE seconds = {DAILY.seconds} AND start = day)
    AND NOT EXISTS (
        SELECT FROM sample_period WHERE pending AND seconds <= {QUARTER.seconds}
        AND start >= day AND start < day + interval '24 hours'
    )
    ON CONFLICT DO NOTHING
    """  # noqa: S608  constant numbers
).bindparams(
    sa.bindparam("since", type_=sa.DateTime(timezone=True)), sa.bindparam("until", type_=sa.DateTime(timezone=True))
)
HAS_QUARTERS: Final = sa.text(
    "SELECT EXISTS (SELECT FROM gauge_quarter WHERE start >= :since AND start < :until) "
    "OR EXISTS (SELECT FROM call_quarter WHERE start >= :since AND start < :until)"
).bindparams(
    sa.bindparam("since", type_=sa.DateTime(timezone=True)), sa.bindparam("until", type_=sa.DateTime(timezone=True))
)
COVER_DAY: Final = sa.text(
    f"""
    INSERT INTO sample_period (seconds, start, covered_seconds, pending)
    SELECT {DAILY.seconds}, :since, coalesce(sum(covered_seconds), 0), false
    FROM sample_period WHERE seconds = {QUARTER.seconds} AND start >= :since AND start < :until
    ON CONFLICT (seconds, start) DO UPDATE SET covered_seconds = excluded.covered_seconds, pending = false
    """  # noqa: S608  constant numbers
).bindparams(
    sa.bindparam("since", type_=sa.DateTime(timezone=True)), sa.bindparam("until", type_=sa.DateTime(timezone=True))
)
COVER: Final = _timed(
    """
    INSERT INTO sample_period (seconds, start, covered_seconds, pending)
    SELECT :seconds, date_bin(:step, start, :epoch) AS at, sum(covered_seconds), true
    FROM sample_period WHERE seconds = :finer AND start >= :since AND start < :until
    GROUP BY at
    ON CONFLICT (seconds, start) DO UPDATE SET covered_seconds = excluded.covered_seconds, pending = true
    """
).bindparams(sa.bindparam("seconds", type_=sa.Integer), sa.bindparam("finer", type_=sa.Integer))
CLAIM: Final = sa.text(
    """
    UPDATE sample_period SET pending = false WHERE (seconds, start) IN (
        SELECT seconds, start FROM sample_period
        WHERE pending AND seconds = :seconds AND start < :until
        AND date_bin(:step, start, :epoch) IN (
            SELECT DISTINCT date_bin(:step, start, :epoch) AS at FROM sample_period
            WHERE pending AND seconds = :seconds AND start < :until ORDER BY at LIMIT :most
        )
        FOR UPDATE SKIP LOCKED
    ) RETURNING date_bin(:step, start, :epoch)
    """
).bindparams(
    sa.bindparam("step", type_=sa.Interval),
    sa.bindparam("epoch", EPOCH, type_=sa.DateTime(timezone=True)),
    sa.bindparam("until", type_=sa.DateTime(timezone=True)),
)
BY_TARGET: Final = {
    "minute": (_calls("call_sample", "call_minute"), _gauges("gauge_sample", "gauge_minute")),
    "quarter": (_calls("call_minute", "call_quarter"), _gauges("gauge_minute", "gauge_quarter")),
}
DAY_OF_QUARTERS: Final = (_calls("call_quarter", "call_daily"), _daily_gauges("gauge_quarter"))
DAY_OF_PACKED: Final = (_calls(_UNPACKED_CALLS, "call_daily"), _daily_gauges(_UNPACKED_GAUGES))
