"""The state machine of an instance, and the state of a model that follows from its instances."""

from collections.abc import Mapping
from enum import StrEnum

from mlplace_kit.errors import DomainError


class InstanceState(StrEnum):
    """IDLE waits for a server. SCHEDULED has one and waits for its connection. REMOVING ends and takes no new calls."""

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
    """Returns `wanted`. Staying in a state is always allowed. Raises IllegalTransition."""
    if wanted is not current and wanted not in TRANSITIONS[current]:
        raise IllegalTransition(current=current.value, wanted=wanted.value)
    return wanted


class ModelState(StrEnum):
    RUNNING = "RUNNING"
    STARTING = "STARTING"
    SLEEPING = "SLEEPING"
    REMOVING = "REMOVING"
    INACTIVE = "INACTIVE"


def model_state(
    *, connected: int, expected: int, removing: int = 0, failed: int = 0, asleep: bool = False
) -> ModelState:
    """Returns RUNNING with at least one connected instance, STARTING while some are expected, REMOVING while the last
    ones end, SLEEPING for a model that a call wakes, else INACTIVE.

    A model whose instances have all failed is INACTIVE, although its server keeps trying. `asleep`: the model is of the
    hosting type AUTOMATIC, has run, and is scaled to zero; then `failed` ones are about to end, too.
    """
    if connected:
        return ModelState.RUNNING
    if expected:
        return ModelState.STARTING
    if removing or (asleep and failed):
        return ModelState.REMOVING
    return ModelState.SLEEPING if asleep else ModelState.INACTIVE
