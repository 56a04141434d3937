"""Tests listing and replaying the dead letters of a service."""

import argparse
from collections.abc import Sequence

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Event, SessionRevoked
from mlplace_contracts.topics import ACCOUNTS, SESSIONS, USAGE
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.consumer import Consumer, ConsumerRunner
from mlplace_runtime.bus.dead_letters import DeadLetter, DeadLetters, Fate
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Delivered, Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import dead_letter, outbox
from mlplace_runtime.db.outbox import Outbox, outbox_row
from mlplace_runtime.process.dead_letter_options import add_dead_letter_verbs
from mlplace_runtime.process.dead_letters import act


class _Fussy:
    """A consumer whose effect is an outbox row. It refuses the users in `refused`."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.refused: set[int] = set()

    async def _handle(self, session: AsyncSession, events: Sequence[Event]) -> None:
        for event in events:
            assert isinstance(event, SessionRevoked)
            await Outbox(session, self._clock).add(event)
            if event.user_id in self.refused:
                raise ValueError(f"no user {event.user_id}")

    def consumer(self) -> Consumer:
        return Consumer("fussy", (SESSIONS,), (SessionRevoked,), self._handle)


@pytest.fixture
def fussy(clock: ManualClock) -> _Fussy:
    return _Fussy(clock)


@pytest.fixture
def letters(database: Database, fussy: _Fussy) -> DeadLetters:
    return DeadLetters(database, [fussy.consumer()])


@pytest.fixture
async def parked(
    database: Database, bus: LocalBus, clock: ManualClock, fussy: _Fussy, letters: DeadLetters
) -> list[DeadLetter]:
    """Dead letters of users 1 and 2; user 3 was handled. Nobody is refused from then on."""
    fussy.refused = {1, 2}
    runner = ConsumerRunner(fussy.consumer(), database, bus)
    await runner.handle([_delivered(number, clock) for number in (1, 2, 3)])
    fussy.refused = set()
    found = await letters.waiting()
    assert [letter.record.key for letter in found] == ["s1", "s2"]
    return found


def _delivered(number: int, clock: ManualClock) -> Delivered:
    event = SessionRevoked(session_hash=f"s{number}", user_id=number, revoked_at=clock.now())
    value = outbox_row(event, clock)["value"]
    assert isinstance(value, bytes)
    return Delivered(Record(SESSIONS.name, event.key, value), 0, number)


async def _effects(database: Database) -> list[str]:
    async with database.transaction() as session:
        return list((await session.execute(sa.select(outbox.c.key).order_by(outbox.c.id))).scalars())


class TestReplay:
    async def test_a_replayed_event_is_handled_and_no_longer_waits(
        self, database: Database, letters: DeadLetters, parked: list[DeadLetter]
    ) -> None:
        assert (await letters.replay(parked[0])).fate is Fate.HANDLED
        assert await _effects(database) == ["s3", "s1"]
        assert [letter.id for letter in await letters.waiting()] == [parked[1].id]

    async def test_an_event_that_was_replayed_meanwhile_has_no_second_effect(
        self, database: Database, letters: DeadLetters, parked: list[DeadLetter]
    ) -> None:
        await letters.replay(parked[0])
        assert (await letters.replay(parked[0])).fate is Fate.GONE
        assert await _effects(database) == ["s3", "s1"]

    async def test_an_event_in_the_inbox_has_no_second_effect(
        self, database: Database, letters: DeadLetters, parked: list[DeadLetter], bus: LocalBus, fussy: _Fussy
    ) -> None:
        # Meanwhile the bus has delivered the event once more.
        await ConsumerRunner(fussy.consumer(), database, bus).handle([Delivered(parked[0].record, 0, 1)])
        assert (await letters.replay(parked[0])).fate is Fate.KNOWN
        assert await _effects(database) == ["s3", "s1"]
        assert len(await letters.waiting()) == 1

    async def test_an_event_that_fails_again_stays_with_the_new_reason(
        self, database: Database, letters: DeadLetters, parked: list[DeadLetter], fussy: _Fussy
    ) -> None:
        fussy.refused = {2}
        await DeadLetters(database).replay(parked[0])
        await letters.replay(parked[1])
        assert [(letter.id, letter.reason) for letter in await letters.waiting()] == [
            (parked[0].id, "LookupError('this version has no consumer fussy')"),
            (parked[1].id, "ValueError('no user 2')"),
        ]
        assert await _effects(database) == ["s3"]
        fussy.refused = set()
        assert (await letters.replay(parked[1])).fate is Fate.HANDLED

    async def test_an_event_that_the_bus_refused_returns_to_the_outbox(
        self, database: Database, letters: DeadLetters
    ) -> None:
        async with database.transaction() as session:
            values = {"topic": USAGE.name, "key": "k", "value": b"v", "reason": "too large"}
            await session.execute(sa.insert(dead_letter).values(consumer="outbox", **values))
        (letter,) = await letters.waiting()
        assert (await letters.replay(letter)).fate is Fate.PUBLISHED
        assert await _effects(database) == ["k"]
        assert database.outbox_written.is_set()
        assert await letters.waiting() == []

    async def test_a_refused_state_event_is_not_replayed_behind_newer_ones(
        self, database: Database, letters: DeadLetters
    ) -> None:
        async with database.transaction() as session:
            values = {"topic": ACCOUNTS.name, "key": "k", "value": b"v", "reason": "too large"}
            await session.execute(sa.insert(dead_letter).values(consumer="outbox", **values))
        (letter,) = await letters.waiting()
        replayed = await letters.replay(letter)
        assert replayed.fate is Fate.FAILED
        assert "may be outdated" in replayed.reason
        assert await _effects(database) == []


async def _act(letters: DeadLetters, *arguments: str) -> tuple[int, list[str]]:
    parser = argparse.ArgumentParser()
    add_dead_letter_verbs(parser)
    said: list[str] = []
    return await act(letters, parser.parse_args(arguments), said.append), said


class TestCommand:
    async def test_list_shows_waiting_events_without_contents(
        self, letters: DeadLetters, parked: list[DeadLetter]
    ) -> None:
        code, lines = await _act(letters, "list")
        assert code == 0
        assert lines[-1] == "2 waiting"
        first = lines[0].split("\t")
        assert (first[0], *first[2:]) == (
            str(parked[0].id), "fussy", SESSIONS.name, "s1", "ValueError('no user 1')"
        )  # fmt: skip
        assert not any("user_id" in line for line in lines)

    async def test_replay_of_all_goes_in_order_and_fails_if_events_remain(
        self, letters: DeadLetters, parked: list[DeadLetter], fussy: _Fussy
    ) -> None:
        fussy.refused = {2}
        code, lines = await _act(letters, "replay", "--all")
        assert code == 1
        assert lines == [
            f"{parked[0].id}\t{SESSIONS.name}\ts1\thandled",
            f"{parked[1].id}\t{SESSIONS.name}\ts2\tfailed again: ValueError('no user 2')",
            "1 handled, 1 failed again",
        ]

    async def test_replay_by_id_handles_one_event(self, letters: DeadLetters, parked: list[DeadLetter]) -> None:
        code, lines = await _act(letters, "replay", "--id", str(parked[1].id), "--id", "999")
        assert (code, lines[1:]) == (0, ["999\tdoes not wait", "1 handled"])
        assert [letter.id for letter in await letters.waiting()] == [parked[0].id]

    @pytest.mark.parametrize(("topic", "left"), [(SESSIONS.name, 0), (USAGE.name, 2)])
    async def test_a_topic_limits_the_selection(
        self, letters: DeadLetters, parked: list[DeadLetter], topic: str, left: int
    ) -> None:
        assert parked
        assert (await _act(letters, "replay", "--topic", topic))[0] == 0
        assert len(await letters.waiting()) == left

    async def test_replay_without_a_selection_is_refused(
        self, letters: DeadLetters, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit):
            await _act(letters, "replay")
        assert "--all" in capsys.readouterr().err
