"""SQL of the usage that counts against a licence."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.images.tables import Image
from mlpcore.features.instances.states import LEAVING
from mlpcore.features.instances.tables import Instance
from mlpcore.features.license.tables import LicenseExcess
from mlpcore.features.models.tables import Model
from mlpcore.licensing.standing import Usage
from mlpcore.quantities import milli_cpu_of

_ONE = 1
_MB_IN_GB = 1024


class LicenseRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def usage(self) -> Usage:
        """Returns the number of live models, and the resources that their instances on servers request.

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
        """Returns thousandths of a core and megabytes of VRAM. Groups by the text of the CPU request to parse few."""
        cpu = Model.resource_limits["cpuRequest"].astext
        vram = sa.func.coalesce(Model.resource_limits["gpuMemoryLimitMb"].astext.cast(sa.BigInteger), 0)
        statement = (
            sa.select(cpu, sa.func.count(), sa.func.sum(vram))
            .select_from(Instance)
            .join(Model, Model.model_id == Instance.model_id)
            .where(Instance.state.not_in([state.value for state in LEAVING]), Instance.server_id.is_not(None))
            .group_by(cpu)
        )
        rows = (await self._session.execute(statement)).all()
        return sum(milli_cpu_of(row[0]) * row[1] for row in rows), sum(int(row[2]) for row in rows)

    async def note_excess(self, now: datetime) -> datetime:
        """Stores when the excess began, unless it is stored already. Returns the stored time."""
        insert = postgresql.insert(LicenseExcess).values(id=_ONE, since=now)
        await self._session.execute(insert.on_conflict_do_nothing())
        return (await self._session.execute(sa.select(LicenseExcess.since))).scalar_one()

    async def forget_excess(self) -> None:
        await self._session.execute(sa.delete(LicenseExcess))


def _live() -> tuple[sa.ColumnElement[bool], ...]:
    return (Model.deleted_at.is_(None),)
