"""Retry budgets: a model's config says how often a call is sent again, within a share of the model's calls."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from mlpgateway.call.plan import Repeats
from mlpgateway.call.transport import InstanceError, InstanceLink
from mlpgateway.delivery.queue.slot import origin_of
from mlpgateway.metrics import REPEATS_REFUSED
from mlplace_gateproto import codes
from mlplace_kit.errors import DomainError

SHARE: Final = 0.2
MOST_SAVED: Final = 20.0
_MOST_REMEMBERED: Final = 10_000
_TOO_MANY: Final = 429


class Budget:
    """A fifth of a model's calls may be sent again, so that a failing model gets no storm of retries.

    Unused retries are saved, up to twenty, for models that are called seldom.
    """

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST_SAVED

    def called(self) -> None:
        self._left = min(self._left + SHARE, MOST_SAVED)

    def take(self) -> bool:
        if self._left < 1:
            REPEATS_REFUSED.inc()
            return False
        self._left -= 1
        return True

    def give_back(self) -> None:
        """Undoes `take`: the retry was not sent."""
        self._left = min(self._left + 1, MOST_SAVED)


class Budgets:
    def __init__(self) -> None:
        self._budgets: dict[int, Budget] = {}

    def of(self, model_id: int) -> Budget:
        budget = self._budgets.get(model_id)
        if budget is None:
            if len(self._budgets) >= _MOST_REMEMBERED:
                self._budgets.clear()
            budget = self._budgets[model_id] = Budget()
        return budget


@dataclass(slots=True)
class Tries:
    """The requests that one call has caused. `lost`: an instance was lost once; that retry needs no budget."""

    repeats: Repeats
    budget: Budget
    sent: list[InstanceLink] = field(default_factory=list[InstanceLink])
    again: int = 0
    lost: bool = False

    def used_up(self) -> list[InstanceLink]:
        """Returns the instances that may not get this call again."""
        times = Counter(origin_of(link) for link in self.sent)
        return [link for link, number in times.items() if number >= self.repeats.per_instance]

    def may(self) -> bool:
        """Returns whether one more request may be sent, and counts it."""
        if self.again >= self.repeats.most or not self.budget.take():
            return False
        self.again += 1
        return True

    def give_back(self) -> None:
        """Undoes `may`: the request was not sent."""
        self.again -= 1
        self.budget.give_back()


def is_loss(error: DomainError) -> bool:
    """Returns whether the gate lost the instance. False for an instance that itself answers with this code."""
    return error.code == codes.CHANNEL_CLOSED and not isinstance(error, InstanceError)


def is_worth_another(error: DomainError) -> bool:
    """Returns whether the instance failed. An error about the request itself would come from any instance."""
    return is_failure(error.status)


def is_failure(status: int) -> bool:
    return status >= 500 or status == _TOO_MANY
