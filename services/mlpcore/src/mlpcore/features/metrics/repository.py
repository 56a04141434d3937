"""SQL that stores samples. Each batch is one statement for each table, whatever its size."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession, AsyncSessionTransaction

from mlpcore.features.metrics.tables import LARGESTS, LEASTS, PERIOD, REPORT, SERVER_REPORT, SUMS
from mlpcore.features.metrics.tiers import SAMPLE

CallRow = Mapping[str, object]
GaugeRow = Mapping[str, object]
_COLUMNS: Final = ("kind", "subject_id", "start", "part_id", *SUMS, *LEASTS, *LARGESTS, "buckets", "counts")
_NUMBER: Final = "bigint"
_TYPES: Final = {"kind": "smallint", "start": "timestamptz", "buckets": "smallint[]", "counts": "bigint[]"}
_ADDED: Final = ", ".join(
    [f"{name} = s.{name} + excluded.{name}" for name in SUMS]
    + [f"{name} = least(s.{name}, excluded.{name})" for name in LEASTS]
    + [f"{name} = greatest(s.{name}, excluded.{name})" for name in LARGESTS]
    + ["buckets = s.buckets || excluded.buckets", "counts = s.counts || excluded.counts"]
)
_ADD_CALLS: Final = sa.text(
    f"INSERT INTO call_sample AS s ({', '.join(_COLUMNS)}) SELECT {', '.join(_COLUMNS)} "  # noqa: S608  constant names
    f"FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r"
    f"({', '.join(f'{name} {_TYPES.get(name, _NUMBER)}' for name in _COLUMNS)}) "
    f"ORDER BY kind, subject_id, start, part_id "
    f"ON CONFLICT (kind, subject_id, start, part_id) DO UPDATE SET {_ADDED}"
).bindparams(sa.bindparam("rows", type_=sa.Text))
_GAUGE_ROWS: Final = (
    "(kind, owner_id, start, subject_id, figures) SELECT kind, owner_id, start, subject_id, figures "
    "FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r"
    "(kind smallint, owner_id bigint, start timestamptz, subject_id bigint, figures real[]) "
    "ORDER BY kind, owner_id, start, subject_id "
    "ON CONFLICT (kind, owner_id, start, subject_id) DO UPDATE SET figures = excluded.figures"
)
_PUT_GAUGES: Final = sa.text(f"INSERT INTO gauge_sample {_GAUGE_ROWS}").bindparams(sa.bindparam("rows", type_=sa.Text))
_MAINTAIN: Final = sa.text("SELECT maintain_sample_partitions(:moment)").bindparams(
    sa.bindparam("moment", type_=sa.DateTime(timezone=True))
)


class SampleRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def maintain_partitions(self, now: datetime) -> int:
        """Creates the partitions of the next time and drops those that are too old. Returns how many changed.

        Does nothing while another process does it.
        """
        return await self._session.scalar(_MAINTAIN, {"moment": now}) or 0

    async def fresh_reports(self, reports: Mapping[tuple[UUID, int], datetime], now: datetime) -> set[tuple[UUID, int]]:
        """Notes reports of gates, and when their intervals ended, as counted. Returns those not counted before."""
        if not reports:
            return set()
        rows = [
            {"reporter": name, "sequence": number, "received_at": now, "ended_at": min(ended_at, now)}
            for (name, number), ended_at in sorted(reports.items())
        ]
        insert = postgresql.insert(REPORT).values(rows).on_conflict_do_nothing()
        written = await self._session.execute(insert.returning(REPORT.c.reporter, REPORT.c.sequence))
        return {(row[0], row[1]) for row in written}

    async def is_fresh(self, *, server_id: int, run: UUID, sequence: int) -> bool:
        """Notes the sample of a server as stored. Returns False if it was stored before.

        The caller holds the server's lock.
        """
        insert = postgresql.insert(SERVER_REPORT).values(server_id=server_id, run=run, sequence=sequence)
        statement = insert.on_conflict_do_update(
            index_elements=["server_id"],
            set_={"run": insert.excluded.run, "sequence": insert.excluded.sequence},
            where=sa.or_(
                SERVER_REPORT.c.run != insert.excluded.run, SERVER_REPORT.c.sequence < insert.excluded.sequence
            ),
        )
        written = await self._session.execute(statement.returning(SERVER_REPORT.c.server_id))
        return written.first() is not None

    async def add_calls(self, rows: Sequence[CallRow]) -> None:
        """Adds the rows to those that exist. Locks them in the order of their keys."""
        if rows:
            await self._session.execute(_ADD_CALLS, {"rows": orjson.dumps(rows).decode()})

    async def put_gauges(self, rows: Sequence[GaugeRow]) -> None:
        """Writes the rows, over those that exist. No two of them have the same key."""
        if rows:
            await self._session.execute(_PUT_GAUGES, {"rows": orjson.dumps(rows).decode()})

    def savepoint(self) -> AsyncSessionTransaction:
        """Undoes what is done within it if it fails, and nothing else of the transaction."""
        return self._session.begin_nested()

    async def cover(self, starts: Collection[datetime], *, by_gates: bool) -> None:
        """Notes that rows of these 10 s periods have come. `by_gates`: for which gates reported."""
        if not starts:
            return
        seconds = SAMPLE.seconds if by_gates else 0
        rows = [
            {"seconds": SAMPLE.seconds, "start": start, "covered_seconds": seconds, "pending": True}
            for start in sorted(set(starts))
        ]
        insert = postgresql.insert(PERIOD).values(rows)
        statement = insert.on_conflict_do_update(
            index_elements=["seconds", "start"],
            set_={
                "covered_seconds": sa.func.greatest(PERIOD.c.covered_seconds, insert.excluded.covered_seconds),
                "pending": True,
            },
            where=sa.or_(~PERIOD.c.pending, PERIOD.c.covered_seconds < insert.excluded.covered_seconds),
        )
        await self._session.execute(statement)

    async def forget_reports(self, before: datetime) -> None:
        await self._session.execute(sa.delete(REPORT).where(REPORT.c.received_at < before))
