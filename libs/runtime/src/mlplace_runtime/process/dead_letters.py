"""`dead-letters list | replay`: commands with which an operator handles parked events."""

import argparse
from collections.abc import Callable, Sequence
from typing import TypeVar

from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.bus.dead_letters import DeadLetter, DeadLetters, Fate, Replayed
from mlplace_runtime.db.database import Database
from mlplace_runtime.process.commands import Command, Opened, Say
from mlplace_runtime.process.dead_letter_options import Selection, add_dead_letter_verbs, selection_of
from mlplace_runtime.service import Shared

_REASON_CHARACTERS = 160

_Settings = TypeVar("_Settings")


def dead_letters_command(consumers: Callable[[_Settings, Shared, Database], Sequence[Consumer]]) -> Command[_Settings]:
    """`consumers` returns those whose dead letters can be replayed."""

    async def run(opened: Opened[_Settings], options: argparse.Namespace, say: Say) -> int:
        replayable = consumers(opened.settings, opened.shared, opened.database)
        return await act(DeadLetters(opened.database, replayable), options, say)

    return Command("dead-letters", "events that could not be handled", run, add_dead_letter_verbs)


def no_consumers(*_: object) -> Sequence[Consumer]:
    """For a service whose dead letters are only events that the bus refused: a replay sends them again."""
    return ()


async def act(letters: DeadLetters, options: argparse.Namespace, say: Say) -> int:
    """Executes the parsed options. Returns the exit code: 1 if an event failed again."""
    selection = selection_of(options)
    if options.action == "list":
        await list_letters(letters, selection, say)
        return 0
    return 1 if await replay_letters(letters, selection, say) else 0


async def list_letters(letters: DeadLetters, selection: Selection, say: Say) -> None:
    found = await letters.waiting(topic=selection.topic, ids=selection.ids)
    for letter in found:
        say(_line(letter))
    say(f"{len(found)} waiting")


async def replay_letters(letters: DeadLetters, selection: Selection, say: Say) -> int:
    """Replays one after the other, oldest first. Returns how many failed again."""
    counts = dict.fromkeys(Fate, 0)
    found = await letters.waiting(topic=selection.topic, ids=selection.ids)
    for letter in found:
        replayed = await letters.replay(letter)
        counts[replayed.fate] += 1
        say(f"{letter.id}\t{letter.record.topic}\t{letter.record.key}\t{_told(replayed)}")
    for unknown in sorted(set(selection.ids) - {letter.id for letter in found}):
        say(f"{unknown}\tdoes not wait")
    say(", ".join(f"{count} {fate}" for fate, count in counts.items() if count) or "nothing waits")
    return counts[Fate.FAILED]


def _line(letter: DeadLetter) -> str:
    moment = letter.parked_at.isoformat(timespec="seconds")
    return (
        f"{letter.id}\t{moment}\t{letter.consumer}\t{letter.record.topic}\t{letter.record.key}\t{_short(letter.reason)}"
    )


def _told(replayed: Replayed) -> str:
    return f"{replayed.fate}: {_short(replayed.reason)}" if replayed.reason else str(replayed.fate)


def _short(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= _REASON_CHARACTERS else f"{line[:_REASON_CHARACTERS]}..."
