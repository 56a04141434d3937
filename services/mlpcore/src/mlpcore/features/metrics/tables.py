"""Tables of samples, partitioned by time. `maintain_sample_partitions` creates and drops the partitions.

`kind` says what a row is about (`kinds.py`). No object is mapped to a row: rows are read and written many at a time.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, UUID

from mlpcore.tables import Base

SUMS: Final = (
    "answered", "failed", "refused", "reconnects", "active_ms", "waiting_ms", "timed", "time_ms", "waited", "wait_ms",
)  # fmt: skip
"""Columns of calls that add up."""
LEASTS: Final = ("min_ms",)
LARGESTS: Final = ("max_ms", "max_wait_ms")
FIGURES: Final = 12
"""The number of figures of a gauge row."""
_TIME = sa.DateTime(timezone=True)


def _calls(name: str) -> sa.Table:
    """Calls of a subject in the period that begins at `start`; they can be added up over periods and `part_id`s.

    Of a model, `part_id` is the instance, 0 for calls without one. Times in milliseconds. `buckets` and `counts` are a
    histogram: bucket n > 0 counts times of the service, bucket -n waits. A bucket may occur several times.
    """
    return sa.Table(
        name,
        Base.metadata,
        sa.Column("kind", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("subject_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("start", _TIME, primary_key=True),
        sa.Column("part_id", sa.BigInteger, primary_key=True, autoincrement=False),
        *(sa.Column(column, sa.BigInteger, nullable=False) for column in SUMS),
        *(sa.Column(column, sa.BigInteger) for column in (*LEASTS, *LARGESTS)),
        sa.Column("buckets", ARRAY(sa.SmallInteger), nullable=False),
        sa.Column("counts", ARRAY(sa.BigInteger), nullable=False),
        postgresql_partition_by="RANGE (start)",
    )


def _gauges(name: str) -> sa.Table:
    """What was measured of a subject in the period that begins at `start`. `figures`: see `kinds.py`; null: unknown.

    `owner_id`: the model of an instance, the group of a server, the account of a model.
    """
    return sa.Table(
        name,
        Base.metadata,
        sa.Column("kind", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("owner_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("start", _TIME, primary_key=True),
        sa.Column("subject_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("figures", ARRAY(sa.REAL), nullable=False),
        postgresql_partition_by="RANGE (start)",
    )


_TIERS: Final = ("sample", "minute", "quarter", "daily")
"""`daily`: added-up days. Not so `call_day` and `gauge_day` below, which have all quarters of a day in one row."""
CALLS: Final = {tier: _calls(f"call_{tier}") for tier in _TIERS}
GAUGES: Final = {tier: _gauges(f"gauge_{tier}") for tier in _TIERS}
ALL_SUBJECTS: Final = 0
"""The subject of rows of `gauge_daily` that add up all subjects of an owner, quarter by quarter."""

CALL_DAY: Final = sa.Table(
    "call_day",
    Base.metadata,
    sa.Column("kind", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("subject_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("start", _TIME, primary_key=True),
    sa.Column("part_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("slots", ARRAY(sa.SmallInteger), nullable=False),
    *(sa.Column(column, ARRAY(sa.BigInteger), nullable=False) for column in (*SUMS, *LEASTS, *LARGESTS)),
    sa.Column("bucket_slots", ARRAY(sa.SmallInteger), nullable=False),
    sa.Column("buckets", ARRAY(sa.SmallInteger), nullable=False),
    sa.Column("counts", ARRAY(sa.BigInteger), nullable=False),
    postgresql_partition_by="RANGE (start)",
)
"""The quarters of one day (UTC) of a series in one row, whose arrays have one entry for each quarter with a row.

`slots`: numbers of the quarters, 0 to 95. `bucket_slots`: the quarter of each entry of the histogram.
"""
GAUGE_DAY: Final = sa.Table(
    "gauge_day",
    Base.metadata,
    sa.Column("kind", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("owner_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("start", _TIME, primary_key=True),
    sa.Column("subject_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("slots", ARRAY(sa.SmallInteger), nullable=False),
    sa.Column("figures", ARRAY(sa.REAL), nullable=False),
    postgresql_partition_by="RANGE (start)",
)
"""`figures`: those of the first quarter, then those of the second one, and so on."""

PERIOD: Final = sa.Table(
    "sample_period",
    Base.metadata,
    sa.Column("seconds", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("start", _TIME, primary_key=True),
    sa.Column("covered_seconds", sa.Integer, nullable=False),
    sa.Column("pending", sa.Boolean, nullable=False),
    sa.Index("ix_sample_period_pending", "seconds", "start", postgresql_where=sa.text("pending")),
)
"""The periods of each tier for which gates reported. Within covered seconds, a model without a row had no calls;
outside of them nothing is known. `pending`: rows have come since the period was added up into the next tier.
"""
REPORT: Final = sa.Table(
    "sample_report",
    Base.metadata,
    sa.Column("reporter", UUID(as_uuid=True), primary_key=True),
    sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("received_at", _TIME, nullable=False),
    sa.Column("ended_at", _TIME),
    sa.Index("ix_sample_report_ended_at", "ended_at"),
)
"""Reports of gates that were counted, for a day. `ended_at`: the end of what the report counts."""
SERVER_REPORT: Final = sa.Table(
    "server_sample_report",
    Base.metadata,
    sa.Column("server_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("run", UUID(as_uuid=True), nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False),
)
"""The last sample of each server that was stored."""
REQUESTS: Final = sa.Table(
    "request_metric",
    Base.metadata,
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("model_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("caller_account_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("request_type", sa.Text, primary_key=True),
    sa.Column("is_success", sa.Boolean, primary_key=True),
    sa.Column("count", sa.BigInteger, nullable=False),
)
"""Requests that were counted elsewhere and saved through the API."""
