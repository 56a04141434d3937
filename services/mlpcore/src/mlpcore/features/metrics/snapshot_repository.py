"""SQL that notes the states of models, accounts and servers once a minute, in one statement for each kind."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import orjson
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.metrics.kinds import GaugeKind

_INTO: Final = "INSERT INTO gauge_minute (kind, owner_id, start, subject_id, figures)"
_UPSERT: Final = "ON CONFLICT (kind, owner_id, start, subject_id) DO UPDATE SET figures = excluded.figures"
_HELD: Final = """
    SELECT i.account_id, i.model_id, count(*) AS instances, count(*) FILTER (WHERE i.state = 'STARTED') AS connected,
        coalesce(sum(a.milli_cpu), 0) AS cpu, coalesce(sum(a.ram_mb), 0) AS ram, coalesce(sum(a.disk_mb), 0) AS disk,
        coalesce(sum(g.gpus), 0) AS gpus
    FROM instance i
    LEFT JOIN allocation a ON a.instance_id = i.instance_id
    LEFT JOIN (SELECT instance_id, count(*) AS gpus FROM gpu_allocation GROUP BY instance_id) g
        ON g.instance_id = i.instance_id
    WHERE i.state NOT IN ('REMOVING', 'DELETED')
    GROUP BY i.account_id, i.model_id
"""
_MODELS: Final = sa.text(
    f"""
    {_INTO} SELECT {GaugeKind.MODEL_STATE.value}, account_id, :start, model_id,
        ARRAY[instances, connected, cpu, ram, disk, gpus, NULL, NULL, NULL, NULL, NULL, NULL]::real[]
    FROM ({_HELD}) AS held {_UPSERT}
    """  # noqa: S608  constant text
).bindparams(sa.bindparam("start", type_=sa.DateTime(timezone=True)))
_ACCOUNTS: Final = sa.text(
    f"""
    {_INTO} SELECT {GaugeKind.ACCOUNT_STATE.value}, account_id, :start, account_id,
        ARRAY[sum(instances), sum(connected), sum(cpu), sum(ram), sum(disk), sum(gpus),
            {", ".join(f"(CAST(:limits AS jsonb) -> account_id::text ->> {place})::real" for place in range(4))},
            NULL, NULL]::real[]
    FROM ({_HELD}) AS held GROUP BY account_id {_UPSERT}
    """  # noqa: S608  constant text
).bindparams(sa.bindparam("start", type_=sa.DateTime(timezone=True)), sa.bindparam("limits", type_=sa.Text))
_SERVERS: Final = sa.text(
    f"""
    {_INTO} SELECT {GaugeKind.SERVER_STATE.value}, s.group_id, :start, s.server_id,
        ARRAY[s.milli_cpu, s.ram_mb, s.disk_mb, jsonb_array_length(s.gpus),
            (SELECT sum((gpu ->> 'vram_mb')::bigint) FROM jsonb_array_elements(s.gpus) AS gpu),
            coalesce(h.cpu, 0), coalesce(h.ram, 0), coalesce(h.disk, 0), coalesce(g.instances, 0),
            coalesce(h.instances, 0), NULL, NULL]::real[]
    FROM server s
    LEFT JOIN (
        SELECT server_id, count(*) AS instances, sum(milli_cpu) AS cpu, sum(ram_mb) AS ram, sum(disk_mb) AS disk
        FROM allocation GROUP BY server_id
    ) h ON h.server_id = s.server_id
    LEFT JOIN (
        SELECT server_id, count(DISTINCT instance_id) AS instances FROM gpu_allocation GROUP BY server_id
    ) g ON g.server_id = s.server_id
    WHERE s.last_heartbeat_at >= :heard {_UPSERT}
    """  # noqa: S608  constant text
).bindparams(
    sa.bindparam("start", type_=sa.DateTime(timezone=True)), sa.bindparam("heard", type_=sa.DateTime(timezone=True))
)
_NOTED: Final = sa.text(
    f"{_INTO} VALUES ({GaugeKind.NOTED.value}, 0, :start, 0, array_fill(NULL::real, ARRAY[12])) "
    "ON CONFLICT DO NOTHING RETURNING 1"
).bindparams(sa.bindparam("start", type_=sa.DateTime(timezone=True)))
_LIMITS: Final = sa.text(
    "SELECT p.account_id, p.cpu_limit, p.memory_limit, p.ephemeral_disk_limit, p.gpu_model_instance_limit "
    "FROM platform_account p WHERE EXISTS (SELECT 1 FROM instance i WHERE i.account_id = p.account_id "
    "AND i.state NOT IN ('REMOVING', 'DELETED'))"
)


class SnapshotRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def begin(self, start: datetime) -> bool:
        """Notes that the states of this minute are noted. Returns False if another process does it."""
        return (await self._session.execute(_NOTED, {"start": start})).first() is not None

    async def limits(self) -> Mapping[int, tuple[str, str, str, int]]:
        """Returns CPU, memory and disk as quantities, and instances with GPUs, of accounts with instances."""
        return {row[0]: (row[1], row[2], row[3], row[4]) for row in await self._session.execute(_LIMITS)}

    async def note(self, start: datetime, *, heard: datetime, limits: Mapping[int, tuple[int, int, int, int]]) -> None:
        """Writes the states. `limits`: of accounts, in thousandths of a core, MiB, MiB, instances with GPUs.

        `heard`: servers that have not reported since then are left out.
        """
        text = orjson.dumps({str(account_id): figures for account_id, figures in limits.items()}).decode()
        await self._session.execute(_MODELS, {"start": start})
        await self._session.execute(_ACCOUNTS, {"start": start, "limits": text})
        await self._session.execute(_SERVERS, {"start": start, "heard": heard})
