"""Third stage: whether the payer and the caller may have this call now, and the money for it."""

from dataclasses import dataclass

from mlpgateway.money.cost import Estimates, unit_price
from mlpgateway.money.lease import Hold, nothing_held
from mlpgateway.money.leases import Leases
from mlpgateway.money.purse import PurseKey
from mlpgateway.proxy.identity import Identity, Payer
from mlpgateway.proxy.rate import RateLimit
from mlpgateway.readmodels.all import ReadModels
from mlplace_contracts.events import ModelChanged
from mlplace_contracts.internal.billing_refusals import AccountBlocked


@dataclass(frozen=True, slots=True)
class Admit:
    """`default_per_second` is for accounts whose limits are not known."""

    read_models: ReadModels
    rate: RateLimit
    leases: Leases
    estimates: Estimates
    default_per_second: int

    async def hold(self, model: ModelChanged, identity: Identity, payer: Payer) -> Hold:
        """Raises AccountBlocked, RateExceeded, InsufficientFunds, Unavailable."""
        if self.read_models.balances.is_blocked(payer.account_id):
            raise AccountBlocked
        limit = self.read_models.limits.predict_per_sec(identity.account_id)
        self.rate.take(identity.account_id, self.default_per_second if limit is None else limit)
        billing = model.billing
        if not is_charged(model, payer):
            return nothing_held()
        key = PurseKey(payer.account_id, model.account_id, model.model_id, billing.currency)
        cost = self.estimates.of(model.model_id, billing)
        return await self.leases.hold(key, cost, free_quota=billing.free_unit_quota)


def is_charged(model: ModelChanged, payer: Payer) -> bool:
    """Owners do not pay themselves."""
    return unit_price(model.billing) > 0 and payer.account_id != model.account_id
