"""The command line of `dead-letters list | replay`."""

import argparse
from dataclasses import dataclass


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
