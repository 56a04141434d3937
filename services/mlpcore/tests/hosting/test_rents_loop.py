"""How often allocations are compared with rents, by a clock that only the test moves."""

import asyncio

import pytest

from mlpcore import registry
from mlpcore.features.placement.allocations import ROOM_CHANGED
from mlpcore.features.rents.loops import rents_loop
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.secrets import Vault
from mlplace_runtime.tasks import ended

NOWHERE = "postgresql+asyncpg://nobody:nothing@127.0.0.1:1/none"  # pragma: allowlist secret
TICK = 1 / 64  # seconds, which add up exactly


class StillLoop(asyncio.SelectorEventLoop):
    """Its time passes only when a test moves it."""

    now = 0.0

    def time(self) -> float:
        return self.now


class Rents:
    """The loop of rents, with comparisons that only note when they are made."""

    def __init__(self, loop: StillLoop) -> None:
        self._loop = loop
        self.times: list[float] = []
        state = CoreState(
            settings=MlpcoreSettings(database_url=NOWHERE),
            database=Database(NOWHERE, application_name="test"),
            clock=ManualClock(),
            hasher=KeyedHasher(b"a secret of the test"),
            vault=Vault(bytes(32)),
            ports=registry.PORTS,
        )
        self.changed = state.database.signal(ROOM_CHANGED)
        self.run = rents_loop(state, self._compare).run

    async def _compare(self, _state: CoreState) -> None:
        self.times.append(self._loop.now)

    async def pass_time(self, seconds: float, *, churn: bool = False) -> None:
        for _ in range(round(seconds / TICK)):
            if churn:
                self.changed.set()
            self._loop.now += TICK
            for _ in range(10):
                await asyncio.sleep(0)


async def observed(*spans: tuple[float, bool]) -> list[float]:
    """Returns when comparisons began. `spans`: seconds, and whether allocations change."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StillLoop)
    rents = Rents(loop)
    task = asyncio.ensure_future(rents.run())
    await asyncio.sleep(0)
    for seconds, churn in spans:
        await rents.pass_time(seconds, churn=churn)
    await ended(task)
    return rents.times


def times_of(*spans: tuple[float, bool]) -> list[float]:
    """Returns whole seconds: each wait ends with the tick after its time."""
    with asyncio.Runner(loop_factory=StillLoop) as runner:
        times = runner.run(observed(*spans))
    assert times == pytest.approx([round(moment) for moment in times], abs=0.3)
    return [round(moment) for moment in times]


class TestRentsLoop:
    def test_changes_without_end_cause_one_comparison_a_second(self) -> None:
        assert times_of((5.25, True)) == [0, 1, 2, 3, 4, 5]

    def test_last_change_is_compared_although_it_came_right_after_a_comparison(self) -> None:
        # A comparison begins just after 1.0; the change at 1.25 is the last one.
        assert times_of((1.25, True), (8, False)) == [0, 1, 2]

    def test_change_after_a_quiet_time_is_compared_at_once(self) -> None:
        assert times_of((5, False), (TICK, True), (0.5, False)) == [0, 5]

    def test_without_changes_one_comparison_comes_in_ten_seconds(self) -> None:
        assert times_of((25, False)) == [0, 10, 20]
