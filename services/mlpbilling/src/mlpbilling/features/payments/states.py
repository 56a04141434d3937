"""The state machine of payment attempts, as data. No I/O.

Received money counts in every case: PAID turns any state into SUCCEEDED, which is final.
"""

from collections.abc import Mapping
from enum import StrEnum

from mlpbilling.payment_provider import Outcome


class AttemptState(StrEnum):
    """CREATED: only stored here.

    PENDING: the provider knows it and the payer may pay. FAILED: declined or cancelled.
    """

    CREATED = "CREATED"
    PENDING = "PENDING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"


_S = AttemptState
TRANSITIONS: Mapping[AttemptState, frozenset[AttemptState]] = {
    _S.CREATED: frozenset({_S.PENDING, _S.SUCCEEDED, _S.FAILED, _S.EXPIRED}),
    _S.PENDING: frozenset({_S.SUCCEEDED, _S.FAILED, _S.EXPIRED}),
    _S.FAILED: frozenset({_S.SUCCEEDED}),
    _S.EXPIRED: frozenset({_S.SUCCEEDED}),
    _S.SUCCEEDED: frozenset(),
}
OPEN = frozenset({_S.CREATED, _S.PENDING})

_WANTED = {
    Outcome.OPEN: AttemptState.PENDING,
    Outcome.PAID: AttemptState.SUCCEEDED,
    Outcome.DECLINED: AttemptState.FAILED,
    Outcome.CANCELLED: AttemptState.FAILED,
}


def transition(current: AttemptState, outcome: Outcome) -> AttemptState:
    """Returns the state after a report. An outdated or repeated report changes nothing."""
    wanted = _WANTED[outcome]
    return wanted if wanted in TRANSITIONS[current] else current


def expire(current: AttemptState) -> AttemptState:
    """Returns the state after the time to pay has ended."""
    return AttemptState.EXPIRED if AttemptState.EXPIRED in TRANSITIONS[current] else current
