"""SQL of the usage that counts against a licence."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.images.tables import Image
from mlpcore.features.instances.conditions import active
from mlpcore.features.instances.tables import Instance
from mlpcore.features.license.tables import LicenseExcess
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.licensing.standing import Usage

_ONE = 1
_MB_IN_GB = 1024


class LicenseRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def usage(self) -> Usage:
        """Returns the number of live models, and the resources that their instances hold on servers.

        Instances that are being removed do not count.
        """
        services = await self._session.scalar(sa.select(sa.func.count()).where(*_live()))
        vllm = await self._session.scalar(
            sa.select(sa.func.count())
            .select_from(Model)
            .join(Image, Image.image_id == Model.image_id)
            .where(*_live(), Image.image.icontains("vllm"))
        )
        cpu, vram_mb = await self._given()
        return Usage(services=services or 0, vllm_models=vllm or 0, cpu=cpu / 1000, vram_gb=vram_mb / _MB_IN_GB)

    async def _given(self) -> tuple[int, int]:
        """Returns thousandths of a core and megabytes of VRAM. A GPU that is not shared counts whole."""
        cpu = sa.select(sa.func.sum(Allocation.milli_cpu)).join(
            Instance, Instance.instance_id == Allocation.instance_id
        )
        vram = sa.select(sa.func.sum(GpuAllocation.vram_mb)).join(
            Instance, Instance.instance_id == GpuAllocation.instance_id
        )
        found = [await self._session.scalar(statement.where(active())) for statement in (cpu, vram)]
        return int(found[0] or 0), int(found[1] or 0)

    async def note_excess(self, now: datetime) -> datetime:
        """Stores when the excess began, unless it is stored already. Returns the stored time."""
        insert = postgresql.insert(LicenseExcess).values(id=_ONE, since=now)
        await self._session.execute(insert.on_conflict_do_nothing())
        return (await self._session.execute(sa.select(LicenseExcess.since))).scalar_one()

    async def forget_excess(self) -> None:
        await self._session.execute(sa.delete(LicenseExcess))


def _live() -> tuple[sa.ColumnElement[bool], ...]:
    return (Model.deleted_at.is_(None),)
