"""The life of a payment attempt as data. No I/O.

Money that came is money that came: whatever we thought of an attempt before, PAID makes it SUCCEEDED, and nothing
follows that.
"""

from collections.abc import Mapping
from enum import StrEnum

from mlpbilling.payment_provider import Outcome


class AttemptState(StrEnum):
    """CREATED: ours alone. PENDING: the provider has it, the payer may pay. FAILED: declined or cancelled."""

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
    """The state after a report. News that is older than what is known, or repeats it, changes nothing."""
    wanted = _WANTED[outcome]
    return wanted if wanted in TRANSITIONS[current] else current


def expire(current: AttemptState) -> AttemptState:
    """The state once the time to pay is over."""
    return AttemptState.EXPIRED if AttemptState.EXPIRED in TRANSITIONS[current] else current
