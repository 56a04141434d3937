"""SQL of autoscaling: which models are due, and what is known of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.activity.tables import ModelActivity
from mlpcore.features.autoscaling.tables import ModelScaling
from mlpcore.features.instances.conditions import active, scaled, waiting
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.instances.tasks import EXCHANGE_ALL
from mlpcore.features.models.tables import Model
from mlpcore.features.tasks.states import OVER
from mlpcore.features.tasks.tables import Task
from mlplace_contracts.enums import HostingType
from mlplace_runtime.db.claims import DueRows
from mlplace_runtime.db.polling import ONE, moment

_CLAIMS: Final = DueRows(ModelScaling, key=ModelScaling.model_id, due=ModelScaling.due_at, waiting=sa.true())
DUE: Final = sa.select(ONE).where(_CLAIMS.free(moment("now"))).limit(ONE)
"""Finds something if `claim` does."""
_AUTOMATIC: Final = sa.and_(
    Model.hosting_type == HostingType.AUTOMATIC.value, Model.deleted_at.is_(None), Model.prototype.is_(False)
)


@dataclass(frozen=True, slots=True)
class InstanceFacts:
    """An instance that should run. `waiting`: why it has no server; None if it has one."""

    connected: bool
    start_requested_at: datetime
    waiting: str | None


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What mlpcore's own tables say of a model. `busy`: its instances are being replaced. `used_at`: the last call.

    `time_zone`: that of the account, if it has chosen one.
    """

    model_id: int
    account_id: int
    time_zone: str | None
    configuration: Mapping[str, Any]
    least_by_default: int
    start_seconds: int
    calls_at_once: int | None
    requested: int
    changed_at: datetime | None
    busy: bool
    used_at: datetime | None
    trouble: str | None
    instances: Sequence[InstanceFacts]


class AutoscalingRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def register(self, now: datetime) -> None:
        """Adds the AUTOMATIC models that are missing, and forgets the others."""
        models = sa.select(Model.model_id, sa.literal(now, sa.DateTime(timezone=True))).where(
            _AUTOMATIC, ~sa.exists().where(ModelScaling.model_id == Model.model_id)
        )
        insert = postgresql.insert(ModelScaling).from_select(["model_id", "due_at"], models)
        await self._session.execute(insert.on_conflict_do_nothing())
        automatic = sa.exists().where(Model.model_id == ModelScaling.model_id, _AUTOMATIC)
        await self._session.execute(sa.delete(ModelScaling).where(~automatic))

    async def claim(self, *, now: datetime, lease: timedelta, limit: int) -> Sequence[int]:
        """Takes due models, the longest due first; they are due again after `lease`."""
        statement = _CLAIMS.claim_statement(now=now, lease=lease, limit=limit)
        return sorted((await self._session.scalars(statement.returning(ModelScaling.model_id))).all())

    async def facts(self, model_ids: Collection[int]) -> Sequence[ModelFacts]:
        """Returns what is known of those of the models that are AUTOMATIC."""
        return await self._facts(model_ids, _AUTOMATIC)

    async def of_any_hosting(self, model_id: int) -> ModelFacts:
        """Returns the facts of a model, whatever its hosting type."""
        (found,) = await self._facts([model_id], sa.true())
        return found

    async def _facts(self, model_ids: Collection[int], which: sa.ColumnElement[bool]) -> Sequence[ModelFacts]:
        replaced = sa.exists().where(
            Task.model_id == Model.model_id,
            Task.kind == EXCHANGE_ALL,
            Task.status.not_in([status.value for status in OVER]),
        )
        statement = (
            sa.select(
                Model.model_id,
                Model.account_id,
                Model.auto_scaling_configuration,
                Model.min_instances_count,
                Model.timeouts,
                Model.priority_queue,
                HostingRequest.requested,
                HostingRequest.changed_at,
                sa.or_(sa.func.coalesce(HostingRequest.surge, 0) > 0, replaced),
                ModelActivity.last_activity_at,
                ModelScaling.trouble,
                PlatformAccount.time_zone,
            )
            .outerjoin(PlatformAccount, PlatformAccount.account_id == Model.account_id)
            .outerjoin(ModelScaling, ModelScaling.model_id == Model.model_id)
            .outerjoin(HostingRequest, HostingRequest.model_id == Model.model_id)
            .outerjoin(ModelActivity, ModelActivity.model_id == Model.model_id)
            .where(Model.model_id.in_(model_ids), which)
            .order_by(Model.model_id)
        )
        instances = await self._instances(model_ids)
        return [
            ModelFacts(
                model_id=model_id,
                account_id=account_id,
                configuration=configuration,
                least_by_default=least,
                start_seconds=int(timeouts["podStartTimeoutSec"]),
                calls_at_once=int(queue["concurrencyLevel"]) if queue.get("enabled") else None,
                requested=requested or 0,
                changed_at=changed_at,
                busy=busy,
                used_at=used_at,
                trouble=trouble,
                time_zone=time_zone,
                instances=instances.get(model_id, ()),
            )
            for (
                model_id, account_id, configuration, least, timeouts, queue, requested, changed_at, busy, used_at,
                trouble, time_zone,
            ) in (await self._session.execute(statement)).all()
        ]  # fmt: skip

    async def _instances(self, model_ids: Collection[int]) -> Mapping[int, Sequence[InstanceFacts]]:
        statement = sa.select(
            Instance.model_id,
            Instance.state,
            Instance.start_requested_at,
            sa.case((waiting(), Instance.waiting_reason)),
        ).where(
            Instance.model_id.in_(model_ids),
            scaled(),
            active(),
        )
        found: dict[int, list[InstanceFacts]] = {}
        for model_id, state, requested_at, reason in await self._session.execute(statement):
            found.setdefault(model_id, []).append(
                InstanceFacts(state == InstanceState.STARTED.value, requested_at, reason)
            )
        return found

    async def change_trouble(self, model_id: int, before: str | None, trouble: str | None) -> bool:
        """Returns False if another process was faster."""
        statement = (
            sa.update(ModelScaling)
            .where(ModelScaling.model_id == model_id, ModelScaling.trouble.is_not_distinct_from(before))
            .values(trouble=trouble)
        )
        return await self._session.scalar(statement.returning(ModelScaling.model_id)) is not None

    async def note_told(self, model_id: int, trouble: str, *, now: datetime, since: datetime) -> bool:
        """Notes that people are told of the trouble now. Returns False if they were told of it after `since`."""
        last = sa.cast(ModelScaling.told[trouble].astext, sa.DateTime(timezone=True))
        statement = (
            sa.update(ModelScaling)
            .where(ModelScaling.model_id == model_id, sa.or_(last.is_(None), last <= since))
            .values(told=ModelScaling.told.op("||")(sa.literal({trouble: now.isoformat()}, postgresql.JSONB)))
        )
        noted = await self._session.scalar(statement.returning(ModelScaling.model_id))
        return noted is not None
