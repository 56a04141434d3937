"""Usage in a gate's spool is charged once, whatever dies between the answer and the event bus."""

import random
import sqlite3
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mlpgateway.usage.frames import HEADER, frames_in
from mlplace_testing.waiting import eventually
from tests.crashes.callers import Call, over_http, until_served
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import PAYER, Gate, Installation, Size
from tests.crashes.spooled import records_in

_PRICE = 1_000_033
_MONEY = 10**15

pytestmark = pytest.mark.parametrize("bus_settings", ["local"], indirect=True)


@dataclass
class Scene:
    """A serving gate, and the calls that it answered."""

    installation: Installation
    gate: Gate
    key: str
    bus_path: Path
    answered: set[str] = field(default_factory=set[str])

    async def calls(self, number: int, gate: Gate | None = None) -> None:
        async with over_http(gate or self.gate, self.key) as call:
            await until_served(call)
            for _ in range(number):
                await self.call_once(call)

    async def call_once(self, call: Call) -> None:
        request_id = f"c{len(self.answered)}"
        assert await call(request_id, 0) is None
        self.answered.add(request_id)

    @contextmanager
    def bus_away(self) -> Generator[None]:
        """Publishing fails; reading works."""
        connection = sqlite3.connect(self.bus_path, isolation_level=None, timeout=60)
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
            connection.close()

    async def charged_once(self) -> None:
        async with self.installation.billing_records() as billing_records:
            found = await eventually(
                billing_records.request_ids, until=lambda ids: self.answered <= set(ids), seconds=90
            )
            assert {request_id for request_id, times in found.items() if times > 1} <= {"first"}
            await billing_records.check(paid={PAYER: found.total() * _PRICE}, refilled={PAYER: _MONEY})
        assert (await self.installation.verification())["sound"] is True


@pytest.fixture
async def scene(installation: Installation, tmp_path: Path) -> Scene:
    await installation.billing().start()
    await installation.refill(PAYER, _MONEY)
    key = await installation.publish_model(price_nano=_PRICE)
    gate = installation.gate()
    return Scene(installation, gate, key, tmp_path / "bus.sqlite3")


async def _serving(scene: Scene) -> None:
    await scene.gate.process.start()
    await scene.installation.run_instance(scene.gate)
    await scene.calls(1)


class TestKill:
    async def test_between_answer_and_bus_charges_each_call_once(
        self, scene: Scene, size: Size, chance: random.Random, report_figure: ReportFigure
    ) -> None:
        kills = size.of(20, 2)
        await _serving(scene)
        for _ in range(kills):
            with scene.bus_away():
                await scene.calls(chance.randint(1, 30))
                scene.gate.process.kill()
            await scene.gate.process.start()
        await scene.calls(1)
        await scene.charged_once()
        report_figure(f"{len(scene.answered)} calls answered, {kills} kills while the bus was away")

    async def test_usage_shipped_without_a_note_is_charged_once(self, scene: Scene) -> None:
        """Like a power failure that lost the note of what was shipped."""
        await _serving(scene)
        await scene.calls(20)
        await scene.charged_once()
        scene.gate.process.kill()
        before = scene.gate.on_the_disk
        for note in scene.gate.spool.glob("lane-*/shipped"):
            note.unlink()
        await scene.gate.process.start()
        await scene.calls(1)
        await scene.charged_once()
        assert before >= 20, "nothing was there that could have been shipped again"

    async def test_a_torn_record_loses_only_itself(self, scene: Scene) -> None:
        """Like a power failure during a write."""
        await _serving(scene)
        with scene.bus_away():
            await scene.calls(10)
            scene.gate.process.kill()
        _tear([path for path in scene.gate.segments if records_in([path])][-1])
        await scene.gate.process.start()
        await scene.calls(1)
        await scene.charged_once()
        assert len(list((scene.gate.spool / "damaged").iterdir())) == 1

    async def test_another_gate_ships_usage_of_a_lost_gate(self, scene: Scene) -> None:
        await _serving(scene)
        other = scene.installation.gate(usage_spool_dir=str(scene.gate.spool))
        await other.process.start()
        with scene.bus_away():
            await scene.calls(10)
            scene.gate.process.kill()
        await scene.charged_once()
        await eventually(_lanes(scene), until=lambda lanes: lanes == 1, seconds=60)


def _lanes(scene: Scene) -> Callable[[], Awaitable[int]]:
    async def count() -> int:
        return len(list(scene.gate.spool.glob("lane-*")))

    return count


def _tear(segment: Path) -> None:
    """Append the beginning of a record after the last one."""
    data = segment.read_bytes()
    end = len(HEADER) + frames_in(data[len(HEADER) :], most=10**6).used
    with segment.open("r+b") as file:
        file.seek(end)
        file.write(data[len(HEADER) : len(HEADER) + 100])


class TestStop:
    async def test_a_clean_stop_keeps_unshipped_usage(self, scene: Scene) -> None:
        await _serving(scene)
        with scene.bus_away():
            await scene.calls(10)
            assert await scene.gate.process.stop() == 0
            assert scene.gate.on_the_disk >= 10
        await scene.gate.process.start()
        await scene.calls(1)
        await scene.charged_once()

    async def test_a_clean_stop_ships_all_usage(self, scene: Scene) -> None:
        await _serving(scene)
        await scene.calls(10)
        assert await scene.gate.process.stop() == 0
        assert list(scene.gate.spool.glob("lane-*")) == []
        await scene.charged_once()
