"""The live gates, kept in the gateway's database: each gate writes heartbeats and reads those of the others."""

import asyncio
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import sqlalchemy.exc as sa_exc
from sqlalchemy.ext.asyncio import AsyncConnection

from mlpgateway.call.ports import GateMembers
from mlpgateway.membership.repository import GateMemberRepository, seen
from mlplace_contracts.events import GateMembersChanged
from mlplace_kit.clock import Clock
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.outage import Outage

Listener = Callable[[GateMembers], None]


@dataclass(frozen=True, slots=True)
class MembershipPace:
    """Intervals in seconds. A gate without a heartbeat for `expiry` counts as dead."""

    beat: float = 2.0
    expiry: float = 8.0
    poll: float = 0.5


class PostgresGates:
    """Satisfies GateDirectory for the gate of this process. Run `run` as a task.

    While the database does not answer, the last known set stays. The gate with the lowest address publishes
    GateMembersChanged; when it dies, the next lowest sees the change and takes over.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        pace: MembershipPace | None = None,
        *,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds` measures the intervals."""
        self._database = database
        self._clock = clock
        self._seconds = seconds
        self._pace = pace or MembershipPace()
        self._gate_id = uuid.uuid4()
        self._own: str | None = None
        self._internal = ""
        self._leaving = False
        self._looked = False
        self._members = GateMembers()
        self._listeners: list[Listener] = []
        self._lock = asyncio.Lock()
        self._beat_due = 0.0
        # After an outage other gates may seem dead because they could not write either: they get time for a heartbeat.
        self._doubt_until: float | None = None
        self._outage = Outage("gate-members")

    async def join(self, address: str, *, internal: str = "") -> None:
        async with self._database.transaction() as session:
            await GateMemberRepository(session).take(address, self._gate_id, internal=internal)
        self._own, self._internal, self._leaving = address, internal, False
        await self.refresh()

    async def retire(self, address: str) -> None:
        if address == self._own:
            self._leaving = True
            await self._beat()
            await self.refresh()

    async def leave(self, address: str) -> None:
        """Removes this gate. The last gate publishes the empty set, because no other gate could."""
        if address != self._own:
            return
        self._own = None
        async with self._database.transaction() as session:
            repository = GateMemberRepository(session)
            await repository.remove(address, self._gate_id)
            rest = await repository.live(within=timedelta(seconds=self._pace.expiry))
            if not rest.connectable:
                await Outbox(session, self._clock).add(self._event(rest))
        self._see(rest)

    async def members(self) -> GateMembers:
        if not self._looked:
            await self.refresh()
        return self._members

    def watch(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def run(self) -> None:
        """Sends heartbeats and follows the set until cancelled."""
        while True:
            try:
                await self._beat_when_due()
                async with self._database.dedicated_connection() as connection:
                    await self._follow(connection)
            except (OSError, TimeoutError, sa_exc.SQLAlchemyError) as error:
                self._doubt_until = float("inf")
                await self._outage.wait_after(error)

    async def _follow(self, connection: AsyncConnection) -> None:
        while True:
            await asyncio.sleep(self._pace.poll)
            await self._beat_when_due()
            found = await seen(connection, within=timedelta(seconds=self._pace.expiry))
            if self._doubt_until is not None or self._with_own(found) != self._members:
                await self.refresh()
            self._outage.over()

    async def _beat_when_due(self) -> None:
        if self._seconds() >= self._beat_due:
            await self._beat()

    async def refresh(self) -> None:
        """Reads the live gates. Publishes a change if this gate is the speaker, and informs the listeners."""
        async with self._lock:
            async with self._database.transaction() as session:
                found = await GateMemberRepository(session).live(within=timedelta(seconds=self._pace.expiry))
                members = self._with_own(self._believed(found))
                if members.active != self._members.active and self._is_speaker(members):
                    await Outbox(session, self._clock).add(self._event(members))
            self._looked = True
            self._see(members)

    async def _beat(self) -> None:
        if self._own is not None:
            async with self._database.transaction() as session:
                repository = GateMemberRepository(session)
                await repository.beat(self._own, self._gate_id, internal=self._internal, leaving=self._leaving)
        self._beat_due = self._seconds() + self._pace.beat

    def _believed(self, found: GateMembers) -> GateMembers:
        """Returns the gates that count as live: after an outage, the known ones get time for a heartbeat."""
        if self._doubt_until is None:
            return found
        now = self._seconds()
        if self._doubt_until == float("inf"):
            self._doubt_until = now + 2 * self._pace.beat
        if now >= self._doubt_until:
            self._doubt_until = None
            return found
        kept = set(self._members.active) - set(found.retiring)
        internal = {**dict(self._members.internal), **dict(found.internal)}
        active = tuple(sorted({*found.active, *kept}))
        known = tuple((gate, internal[gate]) for gate in sorted({*active, *found.retiring}) if gate in internal)
        return GateMembers(active, found.retiring, known)

    def _with_own(self, members: GateMembers) -> GateMembers:
        if self._own is None or self._own in members.connectable:
            return members
        if self._leaving:
            return replace(members, retiring=tuple(sorted({*members.retiring, self._own})))
        return replace(members, active=tuple(sorted({*members.active, self._own})))

    def _is_speaker(self, members: GateMembers) -> bool:
        return self._own is not None and self._own == min(members.connectable)

    def _event(self, members: GateMembers) -> GateMembersChanged:
        return GateMembersChanged(members=members.active, occurred_at=self._clock.now())

    def _see(self, members: GateMembers) -> None:
        if members == self._members:
            return
        self._members = members
        for listener in list(self._listeners):
            listener(members)
