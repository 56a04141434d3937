"""The state machine of a task: which status may follow which."""

from collections.abc import Mapping
from enum import StrEnum

from mlplace_kit.errors import DomainError


class JobStatus(StrEnum):
    """IDLE has not begun; it may wait for other tasks. REVERTING undoes the task after a failure or a stop."""

    IDLE = "IDLE"
    RUN = "RUN"
    REVERTING = "REVERTING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    REVERTED = "REVERTED"
    REPLACED = "REPLACED"


_J = JobStatus
TRANSITIONS: Mapping[JobStatus, frozenset[JobStatus]] = {
    _J.IDLE: frozenset({_J.RUN, _J.REVERTED, _J.REPLACED}),
    _J.RUN: frozenset({_J.COMPLETED, _J.REVERTING, _J.REPLACED}),
    _J.REVERTING: frozenset({_J.FAILED, _J.REVERTED, _J.REPLACED}),
    _J.COMPLETED: frozenset(),
    _J.FAILED: frozenset(),
    _J.REVERTED: frozenset(),
    _J.REPLACED: frozenset(),
}
OVER = frozenset(status for status, following in TRANSITIONS.items() if not following)
ACTIVE = frozenset(JobStatus) - OVER


class IllegalTaskTransition(DomainError):
    code = "mlp.core.illegal_job_transition"
    status = 409
    message = "a task that is {current} cannot become {wanted}"


def transition(current: JobStatus, wanted: JobStatus) -> JobStatus:
    """Returns `wanted`. Raises IllegalTaskTransition, also when the status stays the same."""
    if wanted not in TRANSITIONS[current]:
        raise IllegalTaskTransition(current=current.value, wanted=wanted.value)
    return wanted
