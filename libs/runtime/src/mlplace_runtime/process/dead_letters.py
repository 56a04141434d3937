"""`dead-letters list | replay`: commands with which an operator handles parked events."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from mlplace_runtime.bus.dead_letters import DeadLetter, DeadLetters, Fate, Replayed

_REASON_CHARACTERS = 160

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Selection:
    """Selects all dead letters, unless a filter is set."""

    topic: str | None = None
    ids: tuple[int, ...] = ()


def add_dead_letter_verbs(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands. The parsed options have `action` (`list` or `replay`) and what `selection_of` reads."""
    actions = parser.add_subparsers(dest="action", required=True)
    shown = actions.add_parser("list", help="what waits, oldest first; contents are not shown")
    shown.add_argument("--topic", help="only events of this topic")
    shown.set_defaults(id=None)
    replay = actions.add_parser("replay", help="handle them again; what fails again stays, with the new reason")
    which = replay.add_mutually_exclusive_group(required=True)
    which.add_argument("--id", type=int, action="append", help="this one; may be given several times")
    which.add_argument("--topic", help="all of this topic")
    which.add_argument("--all", action="store_true", help="all that wait")


def selection_of(options: argparse.Namespace) -> Selection:
    return Selection(options.topic, tuple(options.id or ()))


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
