"""The life of an instance as data: which state may follow which, and what the states mean to people."""

from collections.abc import Mapping
from enum import StrEnum

from mlplace_kit.errors import DomainError


class InstanceState(StrEnum):
    """IDLE waits for a server, SCHEDULED for its connection; REMOVING takes no more calls and is being ended."""

    IDLE = "IDLE"
    SCHEDULED = "SCHEDULED"
    STARTED = "STARTED"
    REMOVING = "REMOVING"
    DELETED = "DELETED"
    FAILED = "FAILED"


class Hosting(StrEnum):
    EXTERNAL = "external"
    HOSTING_SERVER = "hostingServer"


_I = InstanceState
TRANSITIONS: Mapping[InstanceState, frozenset[InstanceState]] = {
    _I.IDLE: frozenset({_I.SCHEDULED, _I.STARTED, _I.REMOVING}),
    _I.SCHEDULED: frozenset({_I.IDLE, _I.STARTED, _I.FAILED, _I.REMOVING}),
    _I.STARTED: frozenset({_I.IDLE, _I.SCHEDULED, _I.FAILED, _I.REMOVING}),
    _I.FAILED: frozenset({_I.IDLE, _I.SCHEDULED, _I.STARTED, _I.REMOVING}),
    _I.REMOVING: frozenset({_I.DELETED}),
    _I.DELETED: frozenset(),
}
LEAVING = frozenset({_I.REMOVING, _I.DELETED})


class IllegalTransition(DomainError):
    code = "mlp.core.illegal_transition"
    status = 409
    message = "an instance that is {current} cannot become {wanted}"


def transition(current: InstanceState, wanted: InstanceState) -> InstanceState:
    """The wanted state. Staying is always allowed. Raises IllegalTransition."""
    if wanted is not current and wanted not in TRANSITIONS[current]:
        raise IllegalTransition(current=current.value, wanted=wanted.value)
    return wanted


class ModelState(StrEnum):
    RUNNING = "RUNNING"
    STARTING = "STARTING"
    SLEEPING = "SLEEPING"
    INACTIVE = "INACTIVE"


def model_state(*, connected: int, expected: int) -> ModelState:
    """RUNNING with at least one connected instance, STARTING while some are expected, else INACTIVE.

    A service whose instances all fail is INACTIVE: nothing says that the next attempt will do better.

    SLEEPING belongs to services that were scaled to zero by idleness: only the hosting type AUTOMATIC does that.
    """
    if connected:
        return ModelState.RUNNING
    return ModelState.STARTING if expected else ModelState.INACTIVE
