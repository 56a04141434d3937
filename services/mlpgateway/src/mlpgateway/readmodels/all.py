"""All data that the hot path looks up: in memory, updated by events."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mlpgateway.readmodels.accounts import Accounts
from mlpgateway.readmodels.balances import Balances
from mlpgateway.readmodels.configs import Configs
from mlpgateway.readmodels.instances import Instances
from mlpgateway.readmodels.keys import Keys
from mlpgateway.readmodels.limits import LimitsOfAccounts
from mlpgateway.readmodels.models import Models
from mlplace_contracts.events import (
    AccountChanged,
    AccountLimitsChanged,
    ApiKeyChanged,
    BalanceChanged,
    Event,
    InstanceChanged,
    ModelChanged,
    PredictConfigChanged,
)
from mlplace_contracts.topics import ACCOUNTS, API_KEYS, BALANCES, INSTANCES, LIMITS, MODELS, PREDICT_CONFIGS
from mlplace_runtime.bus.consumer import Projection
from mlplace_runtime.bus.port import EventBus

TOPICS = (ACCOUNTS, LIMITS, MODELS, PREDICT_CONFIGS, API_KEYS, INSTANCES, BALANCES)


@dataclass(frozen=True, slots=True)
class ReadModels:
    accounts: Accounts
    models: Models
    keys: Keys
    limits: LimitsOfAccounts
    balances: Balances
    instances: Instances
    configs: Configs
    listeners: list[Callable[[Event], None]] = field(default_factory=list[Callable[[Event], None]])

    def watch(self, listener: Callable[[Event], None]) -> None:
        """Calls the listener with each event, after it was applied."""
        self.listeners.append(listener)

    @classmethod
    def empty(cls, *, revoked: Callable[[int], None]) -> "ReadModels":
        """`revoked` is called with each instance that may no longer be connected."""
        models = Models()
        return cls(Accounts(), models, Keys(), LimitsOfAccounts(), Balances(), Instances(models, revoked), Configs())

    def apply(self, event: Event) -> None:
        self._apply(event)
        for listener in self.listeners:
            listener(event)

    def _apply(self, event: Event) -> None:
        match event:
            case AccountChanged():
                self.accounts.apply(event)
            case ModelChanged():
                self.models.apply(event)
            case PredictConfigChanged():
                self.configs.apply(event)
            case ApiKeyChanged():
                self.keys.apply(event)
            case AccountLimitsChanged():
                self.limits.apply(event)
            case BalanceChanged():
                self.balances.apply(event)
            case InstanceChanged():
                self.instances.apply(event)
            case _:
                pass  # other events are not needed here

    def projection(self, bus: EventBus) -> Projection:
        return Projection(name="mlpgateway.read-models", topics=TOPICS, apply=self.apply, bus=bus)
