"""SQL of instances: their rows, connections and desired numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.images.tables import Image
from mlpcore.features.instances.states import LEAVING, Hosting, InstanceState
from mlpcore.features.instances.tables import GateMembers, HostingRequest, Instance, InstanceConnection
from mlpcore.features.models.tables import Model
from mlpcore.features.servers.tables import Server
from mlplace_runtime.db.polling import ONE

_LEAVING = [state.value for state in LEAVING]
_STARTS = 10


@dataclass(frozen=True, slots=True)
class Counts:
    """Instances of a model that are not being removed. `expected`: connected ones, and those that have not failed."""

    connected: int
    expected: int


class InstanceRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, instance: Instance) -> None:
        self._session.add(instance)
        await self._session.flush()

    async def flush(self) -> None:
        await self._session.flush()

    async def find(self, *, account_id: int, model_id: int, instance_id: int, lock: bool = False) -> Instance | None:
        statement = sa.select(Instance).where(
            Instance.account_id == account_id, Instance.model_id == model_id, Instance.instance_id == instance_id
        )
        return (await self._session.scalars(_locked(statement) if lock else statement)).first()

    async def of_model(self, *, account_id: int, model_id: int, hosting: Hosting | None = None) -> Sequence[Instance]:
        """Returns the model's instances that are not deleted, the oldest first."""
        statement = sa.select(Instance).where(
            Instance.account_id == account_id,
            Instance.model_id == model_id,
            Instance.state != InstanceState.DELETED.value,
        )
        if hosting is not None:
            statement = statement.where(Instance.hosting == hosting.value)
        return (await self._session.scalars(statement.order_by(Instance.instance_id))).all()

    async def lock_active(self, *, account_id: int, model_id: int) -> Sequence[Instance]:
        """Locks and returns the model's instances that are neither being removed nor deleted."""
        statement = sa.select(Instance).where(
            Instance.account_id == account_id, Instance.model_id == model_id, Instance.state.not_in(_LEAVING)
        )
        return (await self._session.scalars(_locked(statement))).all()

    async def lock_of_server(self, *, account_id: int, server_id: int) -> Sequence[Instance]:
        """Locks and returns the instances of any account on a server of this account."""
        statement = sa.select(Instance).where(
            Instance.server_id == server_id,
            Instance.state != InstanceState.DELETED.value,
            sa.exists().where(Server.server_id == server_id, Server.account_id == account_id),
        )
        return (await self._session.scalars(_locked(statement))).all()

    async def lock_many(self, instance_ids: Sequence[int]) -> Mapping[int, Instance]:
        """Locks instances of any account; for the platform's own events. Returns them by id."""
        statement = _locked(sa.select(Instance).where(Instance.instance_id.in_(instance_ids)))
        return {row.instance_id: row for row in (await self._session.scalars(statement)).all()}

    async def by_ids(self, *, account_id: int, model_id: int, instance_ids: Sequence[int]) -> Sequence[Instance]:
        """Returns the model's instances with these ids, deleted ones too."""
        statement = sa.select(Instance).where(
            Instance.account_id == account_id, Instance.model_id == model_id, Instance.instance_id.in_(instance_ids)
        )
        return (await self._session.scalars(statement)).all()

    async def active_count(self, *, account_id: int, derived: bool) -> int:
        """Counts the instances that count against the account's limit."""
        statement = sa.select(sa.func.count()).where(
            Instance.account_id == account_id, Instance.derived.is_(derived), Instance.state.not_in(_LEAVING)
        )
        return await self._session.scalar(statement) or 0

    async def counts(self, model_ids: Sequence[int]) -> Mapping[int, Counts]:
        rows = (await self._session.execute(_counts_of(model_ids))).all()
        return {row[0]: Counts(connected=row[1], expected=row[2]) for row in rows}

    async def average_start_seconds(self, model_id: int) -> float | None:
        """Returns the mean duration of the last ten successful starts."""
        value = await self._session.scalar(sa.select(_average_start(sa.literal(model_id)).scalar_subquery()))
        return float(value) if value is not None else None

    async def observed(self, model_ids: Sequence[int]) -> Mapping[int, tuple[Counts, float | None]]:
        """Returns the counts and the mean seconds of a start of each model."""
        ids = sa.literal(list(model_ids), postgresql.ARRAY(sa.BigInteger))
        wanted = sa.select(sa.func.unnest(ids).label("model_id")).subquery()
        counts = _counts_of(model_ids).subquery()
        mean = _average_start(wanted.c.model_id).correlate(wanted).scalar_subquery()
        statement = sa.select(wanted.c.model_id, counts.c.connected, counts.c.expected, mean).outerjoin(
            counts, counts.c.model_id == wanted.c.model_id
        )
        rows = (await self._session.execute(statement)).all()
        return {row[0]: (Counts(row[1] or 0, row[2] or 0), None if row[3] is None else float(row[3])) for row in rows}

    async def active(self) -> Sequence[Instance]:
        statement = sa.select(Instance).where(Instance.state.not_in(_LEAVING)).order_by(Instance.instance_id)
        return (await self._session.scalars(statement)).all()

    async def touch(self, instance_ids: Sequence[int], moment: datetime) -> None:
        statement = sa.update(Instance).where(Instance.instance_id.in_(instance_ids)).values(last_seen_at=moment)
        await self._session.execute(statement)

    async def image_of(self, model: Model) -> Image | None:
        return await self._session.get(Image, model.image_id) if model.image_id is not None else None

    async def launch_rows(self, instance_ids: Sequence[int]) -> Mapping[int, tuple[Model, Image | None]]:
        """Returns the model and the image of each instance, by instance id."""
        statement = (
            sa.select(Instance.instance_id, Model, Image)
            .join(Model, Model.model_id == Instance.model_id)
            .outerjoin(Image, Image.image_id == Model.image_id)
            .where(Instance.instance_id.in_(instance_ids))
        )
        return {row[0]: (row[1], row[2]) for row in (await self._session.execute(statement)).all()}


def _stranded() -> sa.ColumnElement[bool]:
    gone = ~sa.exists().where(Server.server_id == Instance.server_id).correlate(Instance)
    on_server = sa.and_(Instance.server_id.is_not(None), gone)
    nowhere = sa.and_(Instance.server_id.is_(None), Instance.state == InstanceState.REMOVING.value)
    return sa.and_(Instance.state != InstanceState.DELETED.value, sa.or_(on_server, nowhere))


def _unsettled() -> sa.Select[int]:
    mine = sa.and_(
        Instance.model_id == HostingRequest.model_id,
        Instance.hosting == Hosting.HOSTING_SERVER.value,
        Instance.state.not_in(_LEAVING),
    )
    there = sa.select(sa.func.count()).where(mine).correlate(HostingRequest).scalar_subquery()
    homeless = sa.exists().where(mine, Instance.state == InstanceState.IDLE.value).correlate(HostingRequest)
    return sa.select(HostingRequest.model_id).where(
        sa.or_(HostingRequest.requested + HostingRequest.surge != there, homeless)
    )


TO_RECONCILE: Final = sa.select(ONE).where(
    sa.or_(sa.select(Instance.instance_id).where(_stranded()).exists(), _unsettled().exists())
)
"""Finds something if there are stranded instances or unsettled models."""


class RequestRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock(self, *, account_id: int, model_id: int) -> HostingRequest:
        """Locks the model's row, creating it when missing. Every change of its instances on servers takes this lock."""
        values = {"model_id": model_id, "account_id": account_id, "requested": 0, "surge": 0}
        await self._session.execute(postgresql.insert(HostingRequest).values(values).on_conflict_do_nothing())
        statement = sa.select(HostingRequest).where(
            HostingRequest.model_id == model_id, HostingRequest.account_id == account_id
        )
        locked = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(locked)).one()

    async def model(self, model_id: int) -> Model | None:
        return await self._session.get(Model, model_id)

    async def requested(self, model_id: int) -> int:
        return (
            await self._session.scalar(sa.select(HostingRequest.requested).where(HostingRequest.model_id == model_id))
            or 0
        )

    async def models_with_instances(self) -> Sequence[int]:
        """Returns the models of all accounts that request instances on servers."""
        statement = sa.select(HostingRequest.model_id).where(HostingRequest.requested > 0)
        return (await self._session.scalars(statement.order_by(HostingRequest.model_id))).all()

    async def unsettled_models(self) -> Sequence[int]:
        """Returns models whose instances on servers are not as many as requested, or wait for a server."""
        return (await self._session.scalars(_unsettled().order_by(HostingRequest.model_id))).all()

    async def lock_stranded(self) -> Sequence[Instance]:
        """Locks and returns the instances of deleted servers, and those being removed that have no server."""
        statement = sa.select(Instance).where(_stranded())
        locked = statement.order_by(Instance.instance_id).with_for_update(skip_locked=True)
        return (await self._session.scalars(locked.execution_options(populate_existing=True))).all()

    async def load_of_servers(self, server_ids: Sequence[int]) -> Mapping[int, int]:
        statement = (
            sa.select(Instance.server_id, sa.func.count())
            .where(Instance.server_id.in_(server_ids), Instance.state != InstanceState.DELETED.value)
            .group_by(Instance.server_id)
        )
        rows = (await self._session.execute(statement)).all()
        return {server_id: count for server_id, count in rows if server_id is not None}


class ConnectionRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def connected_gates(self, instance_ids: Sequence[int]) -> Mapping[int, frozenset[str]]:
        statement = sa.select(InstanceConnection.instance_id, InstanceConnection.gate).where(
            InstanceConnection.instance_id.in_(instance_ids), _live()
        )
        found: dict[int, set[str]] = {}
        for instance_id, gate in (await self._session.execute(statement)).all():
            found.setdefault(instance_id, set()).add(gate)
        return {instance_id: frozenset(gates) for instance_id, gates in found.items()}

    async def opened(self, values: Mapping[str, object]) -> bool:
        """Stores a stream unless the gate has reported a newer one. Returns whether it was stored."""
        insert = postgresql.insert(InstanceConnection).values(**values, connected=True)
        newer = {name: insert.excluded[name] for name in ("stream_id", "connected", "occurred_at")}
        statement = insert.on_conflict_do_update(
            index_elements=["instance_id", "gate"],
            set_=newer,
            where=sa.and_(
                InstanceConnection.occurred_at <= insert.excluded.occurred_at,
                InstanceConnection.stream_id != insert.excluded.stream_id,
            ),
        )
        written = await self._session.execute(statement.returning(InstanceConnection.instance_id))
        return written.first() is not None

    async def closed(self, *, instance_id: int, gate: str, stream_id: object) -> bool:
        """Marks the stream as ended. Returns False when the gate holds a newer stream or none."""
        statement = (
            sa.update(InstanceConnection)
            .where(
                InstanceConnection.instance_id == instance_id,
                InstanceConnection.gate == gate,
                InstanceConnection.stream_id == stream_id,
                InstanceConnection.connected.is_(True),
            )
            .values(connected=False)
            .returning(InstanceConnection.instance_id)
        )
        return (await self._session.execute(statement)).first() is not None

    async def forget(self, *, gate: str, before: datetime) -> Sequence[int]:
        """Marks the gate's streams from before the moment as ended. Returns their instances, sorted."""
        statement = (
            sa.update(InstanceConnection)
            .where(
                InstanceConnection.gate == gate,
                InstanceConnection.occurred_at < before,
                InstanceConnection.connected.is_(True),
            )
            .values(connected=False)
            .returning(InstanceConnection.instance_id)
        )
        return sorted((await self._session.execute(statement)).scalars())

    async def members(self) -> tuple[str, ...]:
        """Returns the live gates; empty before any gate has announced itself."""
        row = await self._session.get(GateMembers, 1)
        return tuple(row.members) if row else ()

    async def set_members(self, members: Sequence[str], occurred_at: datetime) -> bool:
        insert = postgresql.insert(GateMembers).values(id=1, members=list(members), occurred_at=occurred_at)
        statement = insert.on_conflict_do_update(
            index_elements=["id"],
            set_={"members": insert.excluded.members, "occurred_at": insert.excluded.occurred_at},
            where=GateMembers.occurred_at <= insert.excluded.occurred_at,
        )
        return (await self._session.execute(statement.returning(GateMembers.id))).first() is not None

    async def instances_at(self, gates: Sequence[str]) -> Sequence[int]:
        """Returns the instances with a stream that is marked as connected at one of these gates, dead ones included."""
        statement = sa.select(InstanceConnection.instance_id).where(
            InstanceConnection.connected.is_(True), InstanceConnection.gate.in_(gates)
        )
        return sorted(set((await self._session.scalars(statement)).all()))

    async def close_older(self, *, instance_id: int, moment: datetime) -> None:
        """Marks streams of an earlier run as ended; their gate may have died before it could report that."""
        statement = sa.update(InstanceConnection).where(
            InstanceConnection.instance_id == instance_id,
            InstanceConnection.connected.is_(True),
            InstanceConnection.occurred_at <= moment,
        )
        await self._session.execute(statement.values(connected=False))


def _live() -> sa.ColumnElement[bool]:
    """Streams count only while their gate is a member. Before any gate has announced itself, every stream counts."""
    members = sa.select(GateMembers.id).where(GateMembers.id == 1)
    of_member = members.where(InstanceConnection.gate == sa.any_(GateMembers.members))
    known = sa.exists(members.correlate(None))
    return sa.and_(
        InstanceConnection.connected.is_(True), sa.or_(~known, sa.exists(of_member.correlate(InstanceConnection)))
    )


def _locked(statement: sa.Select[Instance]) -> sa.Select[Instance]:
    """Locks in the order of ids, so that transactions cannot deadlock."""
    ordered = statement.order_by(Instance.instance_id)
    return ordered.with_for_update(of=Instance).execution_options(populate_existing=True)


def _counts_of(model_ids: Sequence[int]) -> sa.Select[int, int, int]:
    stream = sa.select(InstanceConnection.gate).where(InstanceConnection.instance_id == Instance.instance_id, _live())
    connected = sa.exists(stream.correlate(Instance))
    hopeful = sa.or_(connected, Instance.state != InstanceState.FAILED.value)
    return (
        sa.select(
            Instance.model_id,
            sa.func.count().filter(connected).label("connected"),
            sa.func.count().filter(hopeful).label("expected"),
        )
        .where(Instance.model_id.in_(model_ids), Instance.state.not_in(_LEAVING))
        .group_by(Instance.model_id)
    )


def _average_start(model_id: sa.ColumnElement[int]) -> sa.Select[Decimal | None]:
    """Selects the mean duration of the last ten successful starts, in seconds."""
    seconds = sa.func.extract("epoch", Instance.started_at - Instance.start_requested_at).label("seconds")
    latest = (
        sa.select(seconds)
        .where(Instance.model_id == model_id, Instance.started_at.is_not(None))
        .order_by(Instance.started_at.desc())
        .limit(_STARTS)
    )
    return sa.select(sa.func.avg(latest.correlate_except(Instance).subquery().c.seconds))
