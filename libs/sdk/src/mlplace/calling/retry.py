"""Retries of failed calls whose failure is temporary."""

import time
from dataclasses import dataclass, field
from http import HTTPStatus

from mlplace.errors import MlpError
from mlplace_gateproto import codes


@dataclass(frozen=True, slots=True)
class Retry:
    """At most ``attempts`` calls within ``budget`` seconds from the first, ``pause`` seconds apart, or as many as the
    error's ``retry_after`` says.
    """

    attempts: int = 10
    pause: float = 0.3
    budget: float = 60.0

    def begin(self) -> "Attempts":
        return Attempts(self)


@dataclass(slots=True)
class Attempts:
    rule: Retry
    pause: float = 0.0
    """How many seconds to wait before the next attempt."""
    _made: int = 1
    _began: float = field(default_factory=time.monotonic)

    def may_repeat(self, error: MlpError) -> bool:
        """Counts one more attempt. Returns False if the error is final, or if the next attempt would exceed a limit."""
        left = self.rule.budget - (time.monotonic() - self._began)
        self.pause = max(self.rule.pause, error.retry_after or 0.0)
        if not is_retryable(error) or self._made >= self.rule.attempts or left < self.pause:
            return False
        self._made += 1
        return True


# No request reached the platform: no gate or edge answered.
CONNECTION_FAILED = "mlplace.connection_failed"
# The platform may have begun the call.
CONNECTION_LOST = "mlplace.connection_lost"


def ended_here(text: str) -> MlpError:
    """Returns the error of a call that this side ends or does not begin."""
    return MlpError(CONNECTION_LOST, text, status=HTTPStatus.SERVICE_UNAVAILABLE)


def client_closed() -> MlpError:
    return ended_here("The client is closed")


def is_retryable(error: MlpError) -> bool:
    return error.code in codes.RETRYABLE or error.code == CONNECTION_FAILED
