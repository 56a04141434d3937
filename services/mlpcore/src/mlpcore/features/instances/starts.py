"""SQL of starts that are under way: which instances start, how far each is, and since when."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import InstrumentedAttribute

from mlpcore.features.instances import conditions
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.servers.tables import Server
from mlpcore.starts import Start, StartPhase
from mlplace_contracts.internal.hosting import ReportedPhase

_PHASES: Final = tuple(StartPhase)
_ON_THE_WAY: Final = (InstanceState.IDLE.value, InstanceState.SCHEDULED.value)
_COMING: Final = (ReportedPhase.STARTING.value, ReportedPhase.RUNNING.value)


def starts_of(model_ids: Sequence[int], *, heard_since: datetime) -> sa.Select[int, int | None, datetime | None]:
    """Selects, for each model of which something starts, the instance that is furthest: how far it is, since when."""
    statement = _selected(Instance.model_id, heard_since).ext(postgresql.distinct_on(Instance.model_id))
    return statement.where(Instance.model_id.in_(model_ids), conditions.serving()).order_by(
        Instance.model_id, sa.desc("step"), "since"
    )


def starts_in(*, account_id: int, model_id: int, heard_since: datetime) -> sa.Select[int, int | None, datetime | None]:
    """Selects the instances of the model that start: how far each is, and since when."""
    mine = (Instance.account_id == account_id, Instance.model_id == model_id)
    return _selected(Instance.instance_id, heard_since).where(*mine)


def start_from(step: int | None, since: datetime | None) -> Start | None:
    return None if step is None or since is None else Start(_PHASES[step], since)


def _selected(number: InstrumentedAttribute[int], heard_since: datetime) -> sa.Select[int, int | None, datetime | None]:
    return sa.select(number, _step().label("step"), _since().label("since")).where(_starting(heard_since))


def _starting(heard_since: datetime) -> sa.ColumnElement[bool]:
    """Leaves out what owners run, of which nothing is known before it connects, and what is on a silent server."""
    heard = sa.exists().where(Server.server_id == Instance.server_id, Server.last_heartbeat_at >= heard_since)
    reported = sa.or_(Instance.phase.is_(None), Instance.phase.in_(_COMING))
    return sa.and_(
        conditions.managed(),
        Instance.state.in_(_ON_THE_WAY),
        ~conditions.connected(),
        sa.or_(~conditions.on_server(), sa.and_(heard.correlate(Instance), reported)),
    )


def _step() -> sa.ColumnElement[int | None]:
    """The place of the phase in the order of StartPhase."""
    return sa.case(
        (conditions.on_server() & (Instance.phase == ReportedPhase.RUNNING.value), _place(StartPhase.CONNECTING)),
        (conditions.on_server(), _place(StartPhase.PREPARING)),
        (Instance.waiting_reason.is_not(None), _place(StartPhase.WAITING_FOR_SERVER)),
        else_=_place(StartPhase.SCHEDULING),
    )


def _place(phase: StartPhase) -> sa.ColumnElement[int]:
    return sa.literal(_PHASES.index(phase), sa.Integer)


def _since() -> sa.ColumnElement[datetime | None]:
    """A server is part of the start of an instance that never answered. Later ones begin when it stopped to answer, or
    when it got another server.
    """
    return sa.case(
        (Instance.started_at.is_(None), Instance.created_at),
        (Instance.state == InstanceState.IDLE.value, Instance.state_changed_at),
        (Instance.started_at < Instance.start_requested_at, Instance.start_requested_at),
        else_=Instance.state_changed_at,
    )
