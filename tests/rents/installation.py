"""mlpcore and mlpbilling in this process, on databases of their own, with a bus between them and a clock of the test.

Each step of a rent is taken by hand, and may die in the middle as a killed process would: what was not committed is
undone, what was not acknowledged comes again, and another process begins anew.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.refills.dependencies import refills_of
from mlpbilling.features.refills.orders import RefillOrder, RefillSource
from mlpbilling.features.rents.consumers import rents_consumer
from mlpbilling.features.rents.dependencies import rents_of
from mlpbilling.features.rents.loops import charge_rents
from mlpbilling.features.verification.repository import VerificationRepository
from mlpbilling.state import BillingState
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.rents.loops import compare_rents
from mlpcore.features.rents.repository import RentRepository
from mlpcore.features.rents.service import RentService
from mlpcore.state import CoreState
from mlplace_contracts.events import Event
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import Currency
from mlplace_runtime.bus.applying import Applier
from mlplace_runtime.bus.handling import received
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.bus.port import EventBus, Record
from mlplace_runtime.db.messaging import outbox
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.tasks import ended
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.waiting import DEADLINE, eventually
from mlplace_testing.world import World


class Killed(Exception):
    """The process dies here."""


class LastWords(LocalBus):
    """The bus of a relay that dies when its records are durable, before it has deleted their rows."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.accepted = asyncio.Event()

    async def publish(self, records: Sequence[Record]) -> None:
        await super().publish(records)
        self.accepted.set()
        await asyncio.Event().wait()


class Installation:
    """`core` and `billing`: clients of the apps. `agent`: the only server of the platform's group `default`."""

    def __init__(
        self, *, core: httpx.AsyncClient, core_state: CoreState, billing: httpx.AsyncClient,
        billing_state: BillingState, bus: LocalBus, bus_path: Path, clock: ManualClock, world: World, agent: AgentTwin,
    ) -> None:  # fmt: skip
        self.core, self.core_state, self.billing, self.billing_state = core, core_state, billing, billing_state
        self._bus, self._bus_path = bus, bus_path
        self.clock, self.world, self.agent = clock, world, agent
        self._reconciler = Reconciler(core_state)

    async def scale(self, count: int) -> None:
        """Sets the number of instances of acme's service, which the server then runs or ends."""
        path = "/api/mlpcore/account/acme/model/greeting/instances"
        answer = await self.core.post(path, json=count, headers=self.world.owner)
        assert answer.status_code == 200, answer.text
        await self.settle()

    async def settle(self) -> None:
        """Lets the server end what is to end, and run what has got a place."""
        await self._reconciler.turn()
        wanted = await self.agent.beat()
        await self.agent.beat(
            *(
                report(number, ReportedPhase.EXITED if one.stop else ReportedPhase.RUNNING, generation=one.generation)
                for number, one in wanted.items()
            )
        )
        await self._reconciler.turn()

    async def pass_time(self, **time: float) -> None:
        """The agent reports afterwards: its server was never lost."""
        self.clock.advance(timedelta(**time))
        await self.agent.beat()

    async def compare(self, *, killed: bool = False) -> None:
        """mlpcore compares rents with allocations. `killed`: before the commit."""
        if not killed:
            await compare_rents(self.core_state)
            return
        state = self.core_state
        with suppress(Killed):
            async with state.database.transaction() as session:
                publisher = Outbox(session, state.clock)
                rents = RentService(RentRepository(session), publisher, state.clock, state.settings.currency)
                await rents.compare()
                raise Killed

    async def ship(self, *, killed: bool = False) -> None:
        """mlpcore's relay ships the outbox. `killed`: when the bus has accepted the events, before the rows are gone."""
        if killed:
            async with LastWords(self._bus_path) as bus:
                await self._relay(bus, bus.accepted.wait())
            assert await self._waiting()
        else:
            await self._relay(self._bus, eventually(self._waiting, until=lambda count: not count))

    async def _relay(self, bus: EventBus, until: Awaitable[object]) -> None:
        relay = asyncio.ensure_future(OutboxRelay(self.core_state.database, bus, name="mlpcore").run())
        async with asyncio.timeout(DEADLINE):
            await until
        await ended(relay)

    async def _waiting(self) -> int:
        async with self.core_state.database.transaction() as session:
            return await session.scalar(sa.select(sa.func.count()).select_from(outbox)) or 0

    async def hear(self, *, killed: bool = False, acknowledged: bool = True) -> None:
        """mlpbilling takes what it has not acknowledged. `killed`: when it was applied, before the commit."""
        consumer = rents_consumer(self.billing_state)
        if killed:
            handle = consumer.handle

            async def die(session: AsyncSession, events: Sequence[Event]) -> None:
                await handle(session, events)
                raise Killed

            consumer = replace(consumer, handle=die)
        subscription = await self._bus.subscribe(consumer.topics, group=consumer.name)
        try:
            batch = await subscription.poll(max_records=100, timeout_seconds=DEADLINE)
            items = [item for each in batch if (item := received(consumer, each.record)) is not None]
            assert items
            await Applier(consumer, self.billing_state.database).together(items)
            if acknowledged:
                await subscription.commit()
        except Killed:
            assert killed
        finally:
            await subscription.close()

    async def charge(self, *, killed: bool = False) -> None:
        """Two processes of mlpbilling charge what is due. `killed`: one before it commits."""
        if not killed:
            await asyncio.gather(*(charge_rents(self.billing_state) for _ in range(2)))
            return
        for (rent_id,) in await self._books("SELECT rent_id FROM rent"):
            with suppress(Killed):
                async with self.billing_state.database.transaction() as session:
                    await rents_of(session, self.billing_state).charge_due(rent_id=rent_id)
                    raise Killed

    async def refill(self, account_id: int, nano: int) -> None:
        source = RefillSource.REQUEST_FROM_AA
        order = RefillOrder(account_id, source, Currency.RUBLE, nano, idempotency_key=f"refill-{account_id}")
        async with self.billing_state.database.transaction() as session:
            await refills_of(session, self.billing_state).refill(order=order)

    async def charges(self, payer: int) -> list[tuple[datetime, int]]:
        """Returns the start and the number of periods of each charge. Checks that all books agree."""
        async with self.billing_state.database.transaction() as session:
            assert (await VerificationRepository(session).verify()).sound
        found = await self._books(
            "SELECT period_start, periods, payer_account_id FROM rent_charge ORDER BY period_start"
        )
        return [(start, periods) for start, periods, account_id in found if account_id == payer]

    async def reported(self, account_id: int, side: str, headers: dict[str, str]) -> float:
        """Returns the total of the account's report of hosting for this month. `side`: income or spending."""
        path = f"/api/mlpbilling/account/{account_id}/details/{side}/hosting"
        answer = await self.billing.get(path, headers=headers)
        assert answer.status_code == 200, answer.text
        return float(answer.json()["total"])

    async def _books(self, statement: str) -> Sequence[Any]:
        async with self.billing_state.database.transaction() as session:
            return (await session.execute(sa.text(statement))).all()
