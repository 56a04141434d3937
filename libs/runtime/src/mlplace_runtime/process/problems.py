"""Messages for the person who started a process that cannot run."""

from pydantic import ValidationError


def describe(problem: Exception) -> str:
    """Returns the message without the values, which may be secrets."""
    if not isinstance(problem, ValidationError):
        return str(problem)
    faults = (f"{'.'.join(map(str, e['loc'])) or 'settings'}: {e['msg']}" for e in problem.errors(include_input=False))
    return "The settings cannot be used: " + "; ".join(faults)
