"""SQL that reads samples, grouped into steps of equal length."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.call_statistics.histogram import Counted
from mlpcore.features.metrics.kinds import OF_USE, CallKind, GaugeKind
from mlpcore.features.metrics.tables import ALL_SUBJECTS, FIGURES, LARGESTS, LEASTS, PERIOD, REPORT, SUMS
from mlpcore.features.metrics.tiers import DAILY, DAY, EPOCH, QUARTER, Tier, packed_before

_VALUES: Final = (*SUMS, *LEASTS, *LARGESTS)
_MOMENT: Final = sa.DateTime(timezone=True)
_IDS: Final = ARRAY(sa.BigInteger)


_PARAMETER: Final = re.compile(r"(?<![:\w]):([a-z_]+)")


@dataclass(frozen=True, slots=True)
class TierSpan:
    """The periods of a tier from `since` to `until`, grouped into steps."""

    tier: Tier
    since: datetime
    until: datetime
    step: timedelta
    now: datetime
    origin: datetime = EPOCH
    """The start of one of the steps."""


@dataclass(frozen=True, slots=True)
class Calls:
    """What one step adds up to. Times in milliseconds; None: no call was timed, or none waited."""

    answered: int = 0
    failed: int = 0
    refused: int = 0
    reconnects: int = 0
    active_ms: int = 0
    waiting_ms: int = 0
    timed: int = 0
    time_ms: int = 0
    waited: int = 0
    wait_ms: int = 0
    min_ms: int | None = None
    max_ms: int | None = None
    max_wait_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Histograms:
    times: Counted = field(default_factory=lambda: Counted({}))
    waits: Counted = field(default_factory=lambda: Counted({}))


class SampleReader:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def calls(
        self, kind: CallKind, subject_ids: Sequence[int], span: TierSpan, *, part_id: int | None = None
    ) -> Mapping[int, Mapping[datetime, Calls]]:
        """Returns the calls by subject and step. What has no calls is absent."""
        sums = ", ".join(
            [f"sum({name})::bigint" for name in SUMS]
            + [f"min({name})" for name in LEASTS]
            + [f"max({name})" for name in LARGESTS]
        )
        statement = _bound(
            f"SELECT subject_id, date_bin(:step, start, :epoch) AS at, {sums} "  # noqa: S608  constant names
            f"FROM ({_call_rows(span.tier, _VALUES, part=part_id is not None)}) AS r GROUP BY subject_id, at"
        )
        found: defaultdict[int, dict[datetime, Calls]] = defaultdict(dict)
        values = {**_times(span), "kind": kind.value, "ids": list(subject_ids), "part": part_id}
        for row in await self._session.execute(statement, _used(statement, values)):
            found[row[0]][row[1]] = Calls(**dict(zip(_VALUES, row[2:], strict=True)))
        return found

    async def histograms(
        self, kind: CallKind, subject_ids: Sequence[int], span: TierSpan
    ) -> Mapping[int, Mapping[datetime, Histograms]]:
        """Returns the histograms by subject and step."""
        statement = _bound(
            "SELECT subject_id, date_bin(:step, start, :epoch) AS at, bucket, sum(count)::bigint "  # noqa: S608  constant
            f"FROM ({_bucket_rows(span.tier)}) AS r GROUP BY subject_id, at, bucket"
        )
        times: defaultdict[tuple[int, datetime], dict[int, int]] = defaultdict(dict)
        waits: defaultdict[tuple[int, datetime], dict[int, int]] = defaultdict(dict)
        values = {**_times(span), "kind": kind.value, "ids": list(subject_ids)}
        for subject_id, at, bucket, count in await self._session.execute(statement, _used(statement, values)):
            (times if bucket > 0 else waits)[subject_id, at][abs(bucket)] = count
        found: defaultdict[int, dict[datetime, Histograms]] = defaultdict(dict)
        for subject_id, at in {*times, *waits}:
            key = (subject_id, at)
            found[subject_id][at] = Histograms(Counted(times.get(key, {})), Counted(waits.get(key, {})))
        return found

    async def covered(self, span: TierSpan) -> Mapping[datetime, int]:
        """Returns the seconds of each step for which gates reported; steps without any are absent."""
        at = sa.func.date_bin(sa.literal(span.step), PERIOD.c.start, sa.literal(span.origin, _MOMENT)).label("at")
        statement = (
            sa.select(at, sa.func.sum(PERIOD.c.covered_seconds))
            .where(
                _of_tier(span),
                PERIOD.c.start >= span.since,
                PERIOD.c.start < span.until,
                PERIOD.c.covered_seconds > 0,
            )
            .group_by(sa.text("at"))
        )
        return {row[0]: int(row[1]) for row in await self._session.execute(statement)}

    async def has_all_days(self, span: TierSpan) -> bool:
        """Returns whether all packed days of the span are added up. They are not until a while after an upgrade."""
        packed = packed_before(span.now)
        counted = sa.select(sa.func.count()).where(
            PERIOD.c.seconds == DAILY.seconds, ~PERIOD.c.pending, PERIOD.c.start >= span.since, PERIOD.c.start < packed
        )
        return await self._session.scalar(counted) == max(0, (packed - span.since) // DAY)

    async def reported_until(self, *, since: datetime) -> Sequence[datetime]:
        """Returns the end of the newest report of each gate process that has reported since then, the newest first."""
        newest = sa.func.max(REPORT.c.ended_at).label("newest")
        statement = sa.select(newest).where(REPORT.c.ended_at >= since).group_by(REPORT.c.reporter)
        return (await self._session.scalars(statement.order_by(newest.desc()))).all()

    async def gauges(
        self,
        kind: GaugeKind,
        owner_ids: Sequence[int],
        span: TierSpan,
        *,
        subject_ids: Sequence[int] | None = None,
        by_subject: bool = False,
    ) -> Mapping[int, Mapping[datetime, Sequence[float | None]]]:
        """Returns the figures by owner, or by subject, and step.

        Figures of the subjects of one owner are added up. Those of the periods of a step are averaged, but restarts are
        added up. A sum is unknown if the figure of one subject is.
        """
        group = "subject_id" if by_subject else "owner_id"
        places = range(1, FIGURES + 1)
        sums = ", ".join(f"CASE WHEN count(*) = count(f{n}) THEN sum(f{n}) END AS s{n}" for n in places)
        of_use = OF_USE if kind in {GaugeKind.INSTANCE, GaugeKind.SERVER} else dict[int, str]()
        values_of_step = ", ".join(f"{of_use.get(n, 'avg')}(s{n})" for n in places)
        statement = _bound(
            f"SELECT id, date_bin(:step, start, :epoch) AS at, {values_of_step} FROM ("  # noqa: S608  constant names
            f"SELECT {group} AS id, start, {sums} FROM ({_gauge_rows(span.tier, subject_ids is not None)}) AS r "
            f"GROUP BY {group}, start) AS totals GROUP BY id, at"
        )
        values = {**_times(span), "kind": kind.value, "ids": list(owner_ids), "subjects": list(subject_ids or ())}
        found: defaultdict[int, dict[datetime, Sequence[float | None]]] = defaultdict(dict)
        for row in await self._session.execute(statement, _used(statement, values)):
            found[row[0]][row[1]] = [None if value is None else float(value) for value in row[2:]]
        return found

    async def first_call(self, kind: CallKind, subject_ids: Sequence[int]) -> datetime | None:
        """Returns the start of the earliest kept period with calls of the subjects."""
        tables = ("call_sample", "call_minute", "call_quarter", "call_day")
        return await self._first(
            [
                f"SELECT min(start) AS first FROM {name} WHERE kind = :kind AND subject_id = ANY(:ids)"  # noqa: S608  constant names
                for name in tables
            ],
            {"kind": kind.value, "ids": list(subject_ids)},
        )

    async def first_gauge(
        self, kind: GaugeKind, owner_ids: Sequence[int], *, subject_ids: Sequence[int] | None = None
    ) -> datetime | None:
        """Returns the start of the earliest kept period with figures of the subjects."""
        tables = ("gauge_sample", "gauge_minute", "gauge_quarter", "gauge_day")
        only = "" if subject_ids is None else " AND subject_id = ANY(:subjects)"
        return await self._first(
            [
                f"SELECT min(start) AS first FROM {name} WHERE kind = :kind AND owner_id = ANY(:ids){only}"  # noqa: S608  constant names
                for name in tables
            ],
            {"kind": kind.value, "ids": list(owner_ids), "subjects": list(subject_ids or ())},
        )

    async def _first(self, parts: Sequence[str], values: Mapping[str, Any]) -> datetime | None:
        statement = _bound(f"SELECT min(first) FROM ({' UNION ALL '.join(parts)}) AS r")  # noqa: S608  constant names
        return await self._session.scalar(statement, _used(statement, values))


def _call_rows(tier: Tier, columns: Sequence[str], *, part: bool) -> str:
    names = ", ".join(columns)
    only = "kind = :kind AND subject_id = ANY(:ids)" + (" AND part_id = :part" if part else "")
    rows = (
        f"SELECT subject_id, start, {names} FROM call_{tier.name} "  # noqa: S608  constant names
        f"WHERE {only} AND start >= :since AND start < :until"
    )
    if tier is DAILY:
        return _with_last_days(rows)
    if tier is not QUARTER:
        return rows
    packed = (
        f"SELECT subject_id, d.start + u.slot * interval '15 minutes' AS start, "  # noqa: S608  constant names
        f"{', '.join(f'u.{name}' for name in columns)} FROM call_day AS d, "
        f"unnest(slots, {names}) AS u(slot, {names}) "
        f"WHERE {only} AND d.start >= :since_day AND d.start < least(:until, :packed)"
    )
    return _both(packed, rows)


def _bucket_rows(tier: Tier) -> str:
    only = "kind = :kind AND subject_id = ANY(:ids)"
    rows = (
        f"SELECT subject_id, start, bucket, count FROM call_{tier.name}, "  # noqa: S608  constant names
        f"unnest(buckets, counts) AS u(bucket, count) WHERE {only} AND start >= :since AND start < :until"
    )
    if tier is DAILY:
        return _with_last_days(rows)
    if tier is not QUARTER:
        return rows
    packed = (
        f"SELECT subject_id, d.start + u.slot * interval '15 minutes' AS start, u.bucket, u.count "  # noqa: S608  constant
        f"FROM call_day AS d, unnest(bucket_slots, buckets, counts) AS u(slot, bucket, count) "
        f"WHERE {only} AND d.start >= :since_day AND d.start < least(:until, :packed)"
    )
    return _both(packed, rows)


def _gauge_rows(tier: Tier, by_subjects: bool) -> str:  # noqa: FBT001  one caller, with a named condition
    only = "kind = :kind AND owner_id = ANY(:ids)" + (" AND subject_id = ANY(:subjects)" if by_subjects else "")
    places = range(1, FIGURES + 1)
    rows = (
        f"SELECT owner_id, subject_id, start, {', '.join(f'figures[{n}] AS f{n}' for n in places)} "  # noqa: S608  constant
        f"FROM gauge_{tier.name} WHERE {only} AND start >= :since AND start < :until"
    )
    if tier is DAILY:
        return _with_last_days(rows, "" if by_subjects else f" AND subject_id = {ALL_SUBJECTS}")
    if tier is not QUARTER:
        return rows
    packed = (
        f"SELECT owner_id, subject_id, d.start + u.slot * interval '15 minutes' AS start, "  # noqa: S608  constant names
        f"{', '.join(f'd.figures[(u.place - 1) * {FIGURES} + {n}] AS f{n}' for n in places)} "
        f"FROM gauge_day AS d, unnest(slots) WITH ORDINALITY AS u(slot, place) "
        f"WHERE {only} AND d.start >= :since_day AND d.start < least(:until, :packed)"
    )
    return _both(packed, rows)


def _both(packed: str, rows: str) -> str:
    """Days are packed a while before their rows go, so only one of both counts."""
    return f"SELECT * FROM ({packed}) AS p WHERE start >= :since UNION ALL {rows} AND start >= :packed"  # noqa: S608  constant


def _with_last_days(daily: str, only: str = "") -> str:
    """The days that are packed, each as one row, and the quarters of the last ones."""
    rows = daily.replace("_daily", f"_{QUARTER.name}")
    return f"{daily}{only} AND start < :packed UNION ALL {rows} AND start >= :packed"


def _of_tier(span: TierSpan) -> sa.ColumnElement[bool]:
    if span.tier is not DAILY:
        return PERIOD.c.seconds == span.tier.seconds
    packed = packed_before(span.now)
    return sa.or_(
        sa.and_(PERIOD.c.seconds == DAILY.seconds, PERIOD.c.start < packed),
        sa.and_(PERIOD.c.seconds == QUARTER.seconds, PERIOD.c.start >= packed),
    )


def _times(span: TierSpan) -> dict[str, object]:
    return {
        "step": span.step,
        "epoch": span.origin,
        "since": span.since,
        "until": span.until,
        "since_day": span.since - (span.since - EPOCH) % DAY,
        "packed": packed_before(span.now),
    }


_TYPES: Final = {
    "step": sa.Interval(),
    "epoch": _MOMENT,
    "since": _MOMENT,
    "until": _MOMENT,
    "since_day": _MOMENT,
    "packed": _MOMENT,
    "kind": sa.SmallInteger(),
    "part": sa.BigInteger(),
    "ids": _IDS,
    "subjects": _IDS,
}


def _bound(text: str) -> sa.TextClause:
    """Gives the named parameters of the text their types."""
    return sa.text(text).bindparams(*(sa.bindparam(name, type_=_TYPES[name]) for name in _names(text)))


def _used(statement: sa.TextClause, values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values of the statement's parameters."""
    return {name: values[name] for name in _names(statement.text)}


def _names(text: str) -> list[str]:
    return sorted(set(_PARAMETER.findall(text)))
