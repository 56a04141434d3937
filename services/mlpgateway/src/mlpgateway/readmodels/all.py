"""Everything the hot path looks up, in memory and fed by events."""

from collections.abc import Callable
from dataclasses import dataclass

from mlpgateway.readmodels.accounts import Accounts
from mlpgateway.readmodels.balances import Balances
from mlpgateway.readmodels.instances import Instances
from mlpgateway.readmodels.keys import Keys
from mlpgateway.readmodels.limits import Limits
from mlpgateway.readmodels.models import Models
from mlplace_contracts.events import (
    AccountChanged,
    AccountLimitsChanged,
    ApiKeyChanged,
    BalanceChanged,
    Event,
    InstanceChanged,
    ModelChanged,
)
from mlplace_contracts.topics import ACCOUNTS, API_KEYS, BALANCES, INSTANCES, LIMITS, MODELS
from mlplace_runtime.bus.consumer import Projection
from mlplace_runtime.bus.port import EventBus

TOPICS = (ACCOUNTS, LIMITS, MODELS, API_KEYS, INSTANCES, BALANCES)


@dataclass(frozen=True, slots=True)
class ReadModels:
    accounts: Accounts
    models: Models
    keys: Keys
    limits: Limits
    balances: Balances
    instances: Instances

    @classmethod
    def empty(cls, *, revoked: Callable[[int], None]) -> "ReadModels":
        """`revoked` hears of instances that may not be connected any more."""
        models = Models()
        return cls(Accounts(), models, Keys(), Limits(), Balances(), Instances(models, revoked))

    def apply(self, event: Event) -> None:
        match event:
            case AccountChanged():
                self.accounts.apply(event)
            case ModelChanged():
                self.models.apply(event)
            case ApiKeyChanged():
                self.keys.apply(event)
            case AccountLimitsChanged():
                self.limits.apply(event)
            case BalanceChanged():
                self.balances.apply(event)
            case InstanceChanged():
                self.instances.apply(event)
            case _:
                pass  # of no interest here

    def projection(self, bus: EventBus) -> Projection:
        return Projection(name="mlpgateway.read-models", topics=TOPICS, apply=self.apply, bus=bus)
