"""SQL of instances: their rows, connections and desired numbers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.images.tables import Image
from mlpcore.features.instances import conditions
from mlpcore.features.instances.starts import start_from, starts_in, starts_of
from mlpcore.features.instances.states import InstanceState, ModelState, model_state
from mlpcore.features.instances.tables import GateMembers, HostingRequest, Instance, InstanceConnection
from mlpcore.features.models.tables import Model
from mlpcore.features.servers.tables import Server
from mlpcore.starts import Start
from mlplace_contracts.enums import HostingType

_STARTS = 10


@dataclass(frozen=True, slots=True)
class Counts:
    """Instances of a model that answer calls.

    `expected`: connected ones, and those that have not failed; `refused`: those among them that no server takes;
    `removing` and `failed`: not among them.

    `asleep`: the model is of the hosting type AUTOMATIC, has run, and is scaled to zero.
    """

    connected: int
    expected: int
    removing: int = 0
    asleep: bool = False
    refused: int = 0
    failed: int = 0

    @property
    def waits(self) -> bool:
        """Whether nothing starts: no server takes any of the instances that the model expects."""
        return not self.connected and 0 < self.expected == self.refused

    @property
    def state(self) -> ModelState:
        return model_state(
            connected=self.connected,
            expected=self.expected,
            removing=self.removing,
            failed=self.failed,
            asleep=self.asleep,
        )


@dataclass(frozen=True, slots=True)
class Observed:
    """`start_seconds`: the mean of the last starts. `furthest`: of the instances that start, how far the first one is;
    the model itself starts only while it is STARTING.
    """

    counts: Counts
    start_seconds: float | None
    furthest: Start | None

    @property
    def start(self) -> Start | None:
        return self.furthest if self.counts.state is ModelState.STARTING else None


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

    async def of_model(self, *, account_id: int, model_id: int) -> Sequence[Instance]:
        """Returns the model's instances that are not deleted, the oldest first."""
        return await self._of_model(account_id, model_id, sa.true())

    async def scaled(self, *, account_id: int, model_id: int) -> Sequence[Instance]:
        """Returns those of the model's instances that the requested number counts, and that are not deleted."""
        return await self._of_model(account_id, model_id, conditions.scaled())

    async def external(self, *, account_id: int, model_id: int) -> Sequence[Instance]:
        """Returns those of the model's instances that its owner runs, and that are not deleted."""
        return await self._of_model(account_id, model_id, ~conditions.managed())

    async def _of_model(self, account_id: int, model_id: int, which: sa.ColumnElement[bool]) -> Sequence[Instance]:
        statement = sa.select(Instance).where(
            Instance.account_id == account_id,
            Instance.model_id == model_id,
            conditions.live(),
            which,
        )
        return (await self._session.scalars(statement.order_by(Instance.instance_id))).all()

    async def lock_active(self, *, account_id: int, model_id: int, staying: bool = False) -> Sequence[Instance]:
        """Locks and returns the model's instances that are neither being removed nor deleted.

        `staying`: without those that move from servers that are being drained.
        """
        statement = sa.select(Instance).where(
            Instance.account_id == account_id, Instance.model_id == model_id, conditions.active()
        )
        if staying:
            statement = statement.where(~conditions.moving())
        return (await self._session.scalars(_locked(statement))).all()

    async def lock_of_server(self, *, account_id: int, server_id: int) -> Sequence[Instance]:
        """Locks and returns the instances of any account on a server of this account."""
        statement = sa.select(Instance).where(
            Instance.server_id == server_id,
            conditions.live(),
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
            Instance.account_id == account_id,
            Instance.derived.is_(derived),
            conditions.active(),
            ~conditions.moving(),
        )
        return await self._session.scalar(statement) or 0

    async def placed_counts(
        self, account_ids: Collection[int], *, but: Collection[int] | None = None
    ) -> Mapping[tuple[int, bool], int]:
        """Counts, by account and whether the model is derived, the active instances that wait for no server.

        `but`: counts also those that wait for one, except these.
        """
        left_out = conditions.unplaced()
        if but is not None:
            left_out = sa.and_(left_out, Instance.instance_id.in_(but))
        statement = sa.select(Instance.account_id, Instance.derived, sa.func.count()).where(
            Instance.account_id.in_(account_ids),
            conditions.active(),
            ~left_out,
            ~conditions.moving(),
        )
        rows = await self._session.execute(statement.group_by(Instance.account_id, Instance.derived))
        return {(row[0], row[1]): row[2] for row in rows}

    async def departing(self, account_ids: Collection[int]) -> Sequence[int]:
        """Returns the instances of the accounts that are being removed, or move from a server that is being drained."""
        leaving = sa.or_(Instance.state == InstanceState.REMOVING.value, conditions.moving())
        statement = sa.select(Instance.instance_id).where(
            Instance.account_id.in_(account_ids), conditions.live(), leaving
        )
        return (await self._session.scalars(statement)).all()

    async def is_used(self, server_id: int) -> bool:
        """Says whether an instance of any account is on the server."""
        here = sa.exists().where(Instance.server_id == server_id, conditions.live())
        return bool(await self._session.scalar(sa.select(here)))

    async def longest_waiting(self, *, account_id: int, model_id: int) -> Instance | None:
        """Returns the model's instance that has waited longest for a server, to answer calls."""
        mine = sa.select(Instance).where(
            Instance.account_id == account_id, Instance.model_id == model_id, conditions.waiting(), conditions.serving()
        )
        ordered = mine.order_by(Instance.start_requested_at, Instance.instance_id).limit(1)
        return (await self._session.scalars(ordered)).first()

    async def average_start_seconds(self, model_id: int) -> float | None:
        """Returns the mean duration of the last ten successful starts."""
        value = await self._session.scalar(sa.select(_average_start(sa.literal(model_id)).scalar_subquery()))
        return float(value) if value is not None else None

    async def observed(self, model_ids: Sequence[int], *, heard_since: datetime) -> Mapping[int, Observed]:
        """Returns what is seen of each model. `heard_since`: a server that was heard before it only is silent."""
        ids = sa.literal(list(model_ids), postgresql.ARRAY(sa.BigInteger))
        wanted = sa.select(sa.func.unnest(ids).label("model_id")).subquery()
        counts = _counts_of(model_ids).subquery()
        starts = starts_of(model_ids, heard_since=heard_since).subquery()
        mean = _average_start(wanted.c.model_id).correlate(wanted).scalar_subquery()
        columns = (counts.c.connected, counts.c.expected, counts.c.removing, counts.c.refused, counts.c.failed)
        statement = (
            sa.select(wanted.c.model_id, mean, _asleep(wanted.c.model_id), starts.c.step, starts.c.since, *columns)
            .outerjoin(counts, counts.c.model_id == wanted.c.model_id)
            .outerjoin(starts, starts.c.model_id == wanted.c.model_id)
        )
        found: dict[int, Observed] = {}
        for model_id, mean_seconds, asleep, step, since, *numbers in (await self._session.execute(statement)).all():
            connected, expected, removing, refused, failed = (number or 0 for number in numbers)
            counted = Counts(connected, expected, removing, asleep, refused, failed)
            seconds = None if mean_seconds is None else float(mean_seconds)
            found[model_id] = Observed(counted, seconds, start_from(step, since))
        return found

    async def starts(self, *, account_id: int, model_id: int, heard_since: datetime) -> Mapping[int, Start]:
        """Returns the starts of the model's instances that are under way, by instance."""
        rows = await self._session.execute(starts_in(account_id=account_id, model_id=model_id, heard_since=heard_since))
        found = {instance_id: start_from(step, since) for instance_id, step, since in rows}
        return {instance_id: start for instance_id, start in found.items() if start is not None}

    async def active(self) -> Sequence[Instance]:
        statement = sa.select(Instance).where(conditions.active()).order_by(Instance.instance_id)
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

    async def with_image(self, instance_ids: Sequence[int]) -> frozenset[int]:
        """Returns the ids of those instances whose model has an image."""
        statement = (
            sa.select(Instance.instance_id)
            .join(Model, Model.model_id == Instance.model_id)
            .join(Image, Image.image_id == Model.image_id)
            .where(Instance.instance_id.in_(instance_ids))
        )
        return frozenset((await self._session.scalars(statement)).all())


class ConnectionRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def connected_gates(self, instance_ids: Sequence[int]) -> Mapping[int, frozenset[str]]:
        statement = sa.select(InstanceConnection.instance_id, InstanceConnection.gate).where(
            InstanceConnection.instance_id.in_(instance_ids), conditions.current()
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

    async def members_since(self) -> datetime | None:
        """Returns when the set of live gates changed last."""
        row = await self._session.get(GateMembers, 1)
        return row.occurred_at if row else None

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


def _locked(statement: sa.Select[Instance]) -> sa.Select[Instance]:
    """Locks in the order of ids, so that transactions cannot deadlock."""
    ordered = statement.order_by(Instance.instance_id)
    return ordered.with_for_update(of=Instance).execution_options(populate_existing=True)


def _asleep(model_id: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    automatic = sa.and_(Model.hosting_type == HostingType.AUTOMATIC.value, Model.prototype.is_(False))
    zero = sa.and_(HostingRequest.model_id == model_id, HostingRequest.requested == 0)
    return sa.exists().where(Model.model_id == HostingRequest.model_id, automatic, zero)


def _counts_of(model_ids: Sequence[int]) -> sa.Select[int, int, int, int, int, int]:
    active, connected = conditions.active(), conditions.connected()
    hopeful = sa.and_(active, sa.or_(connected, Instance.state != InstanceState.FAILED.value))
    return (
        sa.select(
            Instance.model_id,
            sa.func.count().filter(sa.and_(active, connected)).label("connected"),
            sa.func.count().filter(hopeful).label("expected"),
            sa.func.count().filter(~active).label("removing"),
            sa.func.count().filter(conditions.refused()).label("refused"),
            sa.func.count().filter(sa.and_(active, ~hopeful)).label("failed"),
        )
        .where(Instance.model_id.in_(model_ids), conditions.live(), conditions.serving())
        .group_by(Instance.model_id)
    )


def _average_start(model_id: sa.ColumnElement[int]) -> sa.Select[Decimal | None]:
    """Selects the mean duration of the last ten successful starts of what answers calls, in seconds."""
    seconds = sa.func.extract("epoch", Instance.started_at - Instance.start_requested_at).label("seconds")
    latest = (
        sa.select(seconds)
        .where(Instance.model_id == model_id, Instance.started_at.is_not(None), conditions.serving())
        .order_by(Instance.started_at.desc())
        .limit(_STARTS)
    )
    return sa.select(sa.func.avg(latest.correlate_except(Instance).subquery().c.seconds))
