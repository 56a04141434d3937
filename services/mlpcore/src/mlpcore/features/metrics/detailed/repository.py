"""SQL that reads what is known at this moment, in one statement for each kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql.selectable import LateralFromClause

from mlpcore.features.accounts.tables import Account, PlatformAccount
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.metrics.kinds import GaugeKind
from mlpcore.features.metrics.tables import GAUGES
from mlpcore.features.metrics.tiers import SAMPLE
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.account_room import Used
from mlpcore.features.placement.allocations import Allocations
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.quantities import bytes_of, milli_cpu_of

_ROWS: Final = 500
"""So many are read at once, so that requests go on between them."""
_PERIODS: Final = 5
"""So many of the last periods of 10 s are looked at: an agent that is a little late is not unknown."""
_GONE: Final = (InstanceState.REMOVING.value, InstanceState.DELETED.value)
_NOTHING: Final = Used(milli_cpu=0, ram_mb=0, disk_mb=0, gpu_instances=0)
_SAMPLES: Final = GAUGES[SAMPLE.name].c
Figures = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Allocated:
    """The allocation of an instance, or all those of a server. CPU in thousandths of a core; memory and disk in MiB.

    Sums may exceed 64 bits: an allocation for settings that nobody can read has as much as 2**63 - 1 of everything.
    """

    milli_cpu: int
    ram_mb: int
    disk_mb: int
    gpus: int
    gpu_memory_mb: int


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """`use`: figures by `kinds.UseFigure`, if its agent measures. `allocated`: None while it has no server."""

    account: str
    model: str
    instance_id: int
    connected: bool
    restarts: int
    allocated: Allocated | None
    use: Figures


@dataclass(frozen=True, slots=True)
class ServerRow:
    """`milli_cpu` to `vram_mb`: what instances may have; None before the first report."""

    account: str
    group: str
    server: str
    heartbeat_at: datetime
    milli_cpu: int | None
    ram_mb: int | None
    disk_mb: int | None
    gpus: int
    vram_mb: int
    allocated: Allocated
    use: Figures


@dataclass(frozen=True, slots=True)
class LimitsRow:
    """CPU in thousandths of a core; memory and disk in bytes; instances with GPUs. None: it cannot be read.

    `used`: what counts against the limits.
    """

    account: str
    milli_cpu: int | None
    ram_bytes: int | None
    disk_bytes: int | None
    gpu_instances: int
    used: Used


class DetailedMetricsRepository:
    """`now`: use that is older than 50 s is unknown."""

    def __init__(self, session: AsyncSession, now: datetime) -> None:
        self._session = session
        last = SAMPLE.start_of(now)
        self._starts = [last - timedelta(seconds=SAMPLE.seconds * number) for number in range(_PERIODS)]

    async def instances(self) -> Sequence[InstanceRow]:
        """Returns all instances that are not being removed."""
        gpus = _gpus_by(GpuAllocation.instance_id)
        use = self._last_use(GaugeKind.INSTANCE, Instance.model_id, Instance.instance_id)
        statement = (
            sa.select(
                _name_of(Instance.account_id).label("account"),
                Model.name.label("model"),
                Instance.instance_id,
                Instance.state,
                Instance.restart_count,
                Allocation.milli_cpu,
                Allocation.ram_mb,
                Allocation.disk_mb,
                sa.func.coalesce(gpus.c.gpus, 0).label("gpus"),
                sa.func.coalesce(gpus.c.gpu_memory, 0).label("gpu_memory"),
                use.c.figures,
            )
            .select_from(Instance)
            .join(Model, Model.model_id == Instance.model_id)
            .outerjoin(Account, Account.account_id == Instance.account_id)
            .outerjoin(Allocation, Allocation.instance_id == Instance.instance_id)
            .outerjoin(gpus, gpus.c.instance_id == Instance.instance_id)
            .outerjoin(use, sa.true())
            .where(Instance.state.not_in(_GONE))
        )
        found = await self._session.stream(statement)
        return [
            InstanceRow(
                account=row.account,
                model=row.model,
                instance_id=row.instance_id,
                connected=row.state == InstanceState.STARTED.value,
                restarts=row.restart_count,
                allocated=None
                if row.milli_cpu is None
                else Allocated(row.milli_cpu, row.ram_mb, row.disk_mb, row.gpus, int(row.gpu_memory)),
                use=row.figures or (),
            )
            async for part in found.partitions(_ROWS)
            for row in part
        ]

    async def servers(self) -> Sequence[ServerRow]:
        """Returns the servers whose agents have reported and whose lifetime has not ended."""
        allocated = (
            sa.select(
                Allocation.server_id,
                sa.func.sum(Allocation.milli_cpu).label("cpu"),
                sa.func.sum(Allocation.ram_mb).label("ram"),
                sa.func.sum(Allocation.disk_mb).label("disk"),
            )
            .group_by(Allocation.server_id)
            .subquery()
        )
        gpus = _gpus_by(GpuAllocation.server_id)
        use = self._last_use(GaugeKind.SERVER, Server.group_id, Server.server_id)
        statement = (
            sa.select(
                _name_of(Server.account_id).label("account"),
                ResourceGroup.name.label("group"),
                Server.name.label("server"),
                Server.last_heartbeat_at,
                Server.milli_cpu,
                Server.ram_mb,
                Server.disk_mb,
                Server.gpus.label("devices"),
                sa.func.coalesce(allocated.c.cpu, 0).label("cpu"),
                sa.func.coalesce(allocated.c.ram, 0).label("ram"),
                sa.func.coalesce(allocated.c.disk, 0).label("disk"),
                sa.func.coalesce(gpus.c.gpus, 0).label("gpus"),
                sa.func.coalesce(gpus.c.gpu_memory, 0).label("gpu_memory"),
                use.c.figures,
            )
            .select_from(Server)
            .join(ResourceGroup, ResourceGroup.group_id == Server.group_id)
            .outerjoin(Account, Account.account_id == Server.account_id)
            .outerjoin(allocated, allocated.c.server_id == Server.server_id)
            .outerjoin(gpus, gpus.c.server_id == Server.server_id)
            .outerjoin(use, sa.true())
            .where(Server.last_heartbeat_at.is_not(None), Server.stopped_at.is_(None))
        )
        return [
            ServerRow(
                account=row.account,
                group=row.group,
                server=row.server,
                heartbeat_at=row.last_heartbeat_at,
                milli_cpu=row.milli_cpu,
                ram_mb=row.ram_mb,
                disk_mb=row.disk_mb,
                gpus=len(row.devices),
                vram_mb=sum(gpu.get("vram_mb") or 0 for gpu in row.devices),
                allocated=Allocated(int(row.cpu), int(row.ram), int(row.disk), row.gpus, int(row.gpu_memory)),
                use=row.figures or (),
            )
            for row in await self._session.execute(statement)
        ]

    async def limits(self) -> Sequence[LimitsRow]:
        """Returns the limits of accounts with instances."""
        live = sa.exists().where(Instance.account_id == Account.account_id, Instance.state.not_in(_GONE))
        statement = (
            sa.select(
                Account.account_id,
                Account.short_name,
                PlatformAccount.cpu_limit,
                PlatformAccount.memory_limit,
                PlatformAccount.ephemeral_disk_limit,
                PlatformAccount.gpu_model_instance_limit,
            )
            .join(PlatformAccount, PlatformAccount.account_id == Account.account_id)
            .where(live)
        )
        rows = (await self._session.execute(statement)).all()
        used = await Allocations(self._session).used_by([row.account_id for row in rows])
        return [
            LimitsRow(
                account=row.short_name,
                milli_cpu=_read(milli_cpu_of, row.cpu_limit),
                ram_bytes=_read(bytes_of, row.memory_limit),
                disk_bytes=_read(bytes_of, row.ephemeral_disk_limit),
                gpu_instances=row.gpu_model_instance_limit,
                used=used.get(row.account_id, _NOTHING),
            )
            for row in rows
        ]

    def _last_use(
        self, kind: GaugeKind, owner: InstrumentedAttribute[int], subject: InstrumentedAttribute[int]
    ) -> LateralFromClause:
        """One look-up in the primary key for each subject: no index orders the samples by time."""
        return (
            sa.select(_SAMPLES.figures)
            .where(
                _SAMPLES.kind == kind.value,
                _SAMPLES.owner_id == owner,
                _SAMPLES.start.in_(self._starts),
                _SAMPLES.subject_id == subject,
            )
            .order_by(_SAMPLES.start.desc())
            .limit(1)
            .lateral()
        )


def _name_of(account_id: InstrumentedAttribute[int]) -> sa.ColumnElement[str]:
    """The id stands for the name of an account whose event has not arrived yet."""
    return sa.func.coalesce(Account.short_name, sa.cast(account_id, sa.Text))


def _gpus_by(owner: InstrumentedAttribute[int]) -> sa.Subquery:
    """GPUs of which each instance, or all instances of each server, have a part, and their parts of the memory."""
    return (
        sa.select(
            owner,
            sa.func.count(sa.distinct(GpuAllocation.gpu_id)).label("gpus"),
            sa.func.sum(GpuAllocation.vram_mb).label("gpu_memory"),
        )
        .group_by(owner)
        .subquery()
    )


def _read(parse: Callable[[str], int], text: str) -> int | None:
    """One account with a limit in no form must not hide the metrics of all others."""
    try:
        return parse(text)
    except ValueError:
        return None
