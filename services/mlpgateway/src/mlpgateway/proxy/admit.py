"""Third stage: whether the payer and the caller may have this call now, and the money for it."""

from dataclasses import dataclass
from datetime import datetime

from mlpgateway.limits.claim import Claim, Counted
from mlpgateway.limits.content import check_llm, check_size
from mlpgateway.limits.errors import AccessDeniedFromAddress
from mlpgateway.limits.gatekeeper import Gatekeeper
from mlpgateway.money.cost import Estimates, unit_price
from mlpgateway.money.lease import Hold, nothing_held
from mlpgateway.money.leases import Leases
from mlpgateway.money.purse import PurseKey
from mlpgateway.proxy.call import Call
from mlpgateway.proxy.identity import Identity, Payer
from mlpgateway.readmodels.all import ReadModels
from mlplace_contracts.events import ModelChanged
from mlplace_contracts.internal.billing_refusals import AccountBlocked


@dataclass(frozen=True, slots=True)
class Admit:
    """`default_per_second` is for accounts whose limits are not known."""

    read_models: ReadModels
    gatekeeper: Gatekeeper
    leases: Leases
    estimates: Estimates
    default_per_second: int

    async def hold(self, call: Call, model: ModelChanged, identity: Identity, payer: Payer) -> Claim:
        """Raises AccountBlocked, InsufficientFunds, Unavailable, and the refusals of `mlpgateway.limits`."""
        if self.read_models.balances.is_blocked(payer.account_id):
            raise AccountBlocked
        limits = self.read_models.limits
        if not limits.serves(identity.account_id, call.caller.client_ip):
            raise AccessDeniedFromAddress(address=call.caller.client_ip)
        if identity.limits is not None:
            if identity.limits.size is not None:
                check_size(identity.limits.size, call)
            if identity.limits.llms is not None:
                check_llm(identity.limits.llms, call, model)
        limit = limits.predict_per_sec(identity.account_id)
        per_second = self.default_per_second if limit is None else limit
        if call.loads_page:
            return Claim(nothing_held(), (), await self.gatekeeper.count_file(identity.account_id, per_second))
        counted = await self.gatekeeper.count_call(identity, per_second)
        return await self._claim(model, payer, counted)

    async def still(self, claim: Claim, model: ModelChanged, payer: Payer, now: datetime) -> None:
        """After a long wait: the payer is not blocked meanwhile, and the money is still there, or there once more.

        Raises AccountBlocked, InsufficientFunds, Unavailable.
        """
        if self.read_models.balances.is_blocked(payer.account_id):
            raise AccountBlocked
        if not claim.stands(now):
            claim.take_over(await self._money(model, payer))

    async def _claim(self, model: ModelChanged, payer: Payer, counted: Counted) -> Claim:
        hold = await self._money(model, payer)
        try:
            return await self.gatekeeper.hold_money(hold, payer, model.billing.currency, counted)
        except BaseException:
            hold.release()
            raise

    async def _money(self, model: ModelChanged, payer: Payer) -> Hold:
        if not is_charged(model, payer):
            return nothing_held()
        billing = model.billing
        key = PurseKey(payer.account_id, model.account_id, model.model_id, billing.currency)
        cost = self.estimates.of(model.model_id, billing)
        return await self.leases.hold(key, cost, free_quota=billing.free_unit_quota)


def is_charged(model: ModelChanged, payer: Payer) -> bool:
    """Owners do not pay themselves."""
    return unit_price(model.billing) > 0 and payer.account_id != model.account_id
