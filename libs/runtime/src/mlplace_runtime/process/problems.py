"""Messages for the person who started a process that cannot run."""

from pydantic import ValidationError

from mlplace_kit.settings import faults_of


class CommandRefusedError(Exception):
    """A command of the operator has changed nothing. The text says why, and what to do instead."""


def describe(problem: Exception) -> str:
    """Returns the message without the values, which may be secrets."""
    if not isinstance(problem, ValidationError):
        return str(problem)
    return "The settings cannot be used: " + "; ".join(faults_of(problem))
