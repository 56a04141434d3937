"""The third stage: checks blocks, addresses and limits, and reserves the money for the call."""

from dataclasses import dataclass
from datetime import datetime

from mlpgateway.call.call import Call
from mlpgateway.call.identity import Identity, Payer
from mlpgateway.errors.limits import AccessDeniedFromAddress
from mlpgateway.policy.limits.claim import Claim, Counted
from mlpgateway.policy.limits.content import check_llms, check_size, limits_on
from mlpgateway.policy.limits.gatekeeper import Gatekeeper
from mlpgateway.policy.money.balance_lease import BalanceLeaseKey
from mlpgateway.policy.money.ceiling import Ceiling, ceiling_of, check_typical
from mlpgateway.policy.money.estimates import Estimates
from mlpgateway.policy.money.lease import Hold, nothing_held
from mlpgateway.policy.money.leases import Leases
from mlpgateway.readmodels.all import ReadModels
from mlplace_contracts.events import ModelChanged
from mlplace_contracts.internal.billing_refusals import AccountBlocked
from mlplace_kit.errors import Unavailable
from mlplace_kit.pricing import Cost, pays


@dataclass(frozen=True, slots=True)
class Admit:
    """`default_per_second` applies to accounts whose limits are unknown, `default_max_price_nano` (billionths of a
    currency unit) to models whose owner has published no maximal price.
    """

    read_models: ReadModels
    gatekeeper: Gatekeeper
    leases: Leases
    estimates: Estimates
    default_per_second: int
    default_max_price_nano: int

    async def hold(self, call: Call, model: ModelChanged, identity: Identity, payer: Payer) -> Claim:
        """Returns the call's claim on limits and money. Its config is the one that the caller has sent or chosen.

        Raises AccountBlocked, InsufficientFunds, Unavailable, PriceAboveCap, and the errors of
        `mlpgateway.errors.limits`.
        """
        self._check(call, model, identity, payer)
        per_second = self._per_second(identity)
        if call.loads_page:
            return Claim(nothing_held(), (), await self.gatekeeper.count_file(identity.account_id, per_second))
        ceiling = self._ceiling(call, model, payer)
        counted = await self.gatekeeper.count_call(identity, payer, per_second)
        return await self._claim(model, payer, counted, ceiling)

    def hold_at_once(self, call: Call, model: ModelChanged, identity: Identity, payer: Payer) -> Claim | None:
        """Like `hold`, with what this gate has leased. None: `hold` would have to wait, and nothing is held.

        Not for requests of pages, nor for calls with a stored config. Raises like `hold`; nothing is held then, either.
        """
        self._check(call, model, identity, payer)
        ceiling = self._ceiling(call, model, payer)
        counting = self.gatekeeper.counting(identity, payer, self._per_second(identity))
        claim = self._claim_at_once(model, payer, counting, ceiling)
        if claim is not None and not self.gatekeeper.count_at_once(counting):
            claim.release()
            return None
        return claim

    def expect_admissible(self, call: Call, identity: Identity, payer: Payer) -> None:
        """Checks what may change while a call waits or runs. Raises AccountBlocked, AccessDeniedFromAddress."""
        if self.read_models.balances.is_blocked(payer.account_id):
            raise AccountBlocked
        self.expect_address(call, identity, payer)

    def expect_address(self, call: Call, identity: Identity, payer: Payer) -> None:
        """Raises AccessDeniedFromAddress."""
        self._check_address(identity.account_id, call)
        if payer.billing_key is not None:
            self._check_address(payer.account_id, call)

    def _check(self, call: Call, model: ModelChanged, identity: Identity, payer: Payer) -> None:
        """The checks that take nothing. Raises AccountBlocked and the errors of address and content."""
        self.expect_admissible(call, identity, payer)
        limits = limits_on(identity, payer)
        for each in limits:
            if each.size is not None:
                check_size(each.size, call)
        check_llms(limits, call.data, call.config, model)

    def _per_second(self, identity: Identity) -> int:
        limit = self.read_models.limits.predict_per_sec(identity.account_id)
        return self.default_per_second if limit is None else limit

    async def renew(self, claim: Claim, model: ModelChanged, payer: Payer, now: datetime) -> None:
        """Reserves the money again if its lease has expired during a long wait.

        Raises AccountBlocked, InsufficientFunds, Unavailable.
        """
        if not claim.is_held(now):
            claim.take_over(await self._money(model, payer, claim.ceiling))

    async def hold_more(self, claim: Claim, model: ModelChanged, payer: Payer, cost: Cost, wanted: Cost) -> None:
        """Reserves more for an answer that costs more than is reserved, as far as the payer's money reaches.

        The limits of the paying key bound the amount, too. When a request to mlpbilling is necessary, it asks for
        `wanted`.
        """
        claim.grow(cost)
        if lacking := claim.lacking(cost):
            key, most = _balance_lease_key(model, payer), max(lacking, claim.lacking(wanted))
            try:
                more = await self.leases.hold_more(key, lacking, most)
            except Unavailable:
                claim.on_credit = True
            else:
                if more is not None:
                    claim.add_hold(more)
        await self.gatekeeper.hold_more(claim, cost)

    def _check_address(self, account_id: int, call: Call) -> None:
        if not self.read_models.limits.serves(account_id, call.caller.client_ip):
            raise AccessDeniedFromAddress(address=call.caller.client_ip)

    def _ceiling(self, call: Call, model: ModelChanged, payer: Payer) -> Ceiling | None:
        """Returns the ceiling; None when the call is free or its price is known before. Raises PriceAboveCap."""
        if not is_charged(model, payer):
            return None
        ceiling = ceiling_of(
            model.billing,
            published_nano=model.max_price_nano,
            default_nano=self.default_max_price_nano,
            caller_nano=call.caller.max_price_nano,
            key_nano=payer.max_price_nano,
        )
        if ceiling is not None and ceiling.of_payer:
            check_typical(ceiling, self.estimates.typical(model.model_id, model.billing))
        return ceiling

    async def _claim(self, model: ModelChanged, payer: Payer, counted: Counted, ceiling: Ceiling | None) -> Claim:
        hold = await self._money(model, payer, ceiling)
        try:
            claim = await self.gatekeeper.hold_money(hold, payer, model.billing.currency, counted)
        except BaseException:
            hold.release()
            raise
        claim.ceiling = ceiling
        return claim

    def _claim_at_once(
        self, model: ModelChanged, payer: Payer, counted: Counted, ceiling: Ceiling | None
    ) -> Claim | None:
        hold = nothing_held()
        if is_charged(model, payer):
            key, cost, quota = self._wanted(model, payer, ceiling)
            drawn = self.leases.hold_at_once(key, cost, free_quota=quota)
            if drawn is None:
                return None
            hold = drawn
        claim = self.gatekeeper.hold_money_at_once(hold, payer, model.billing.currency, counted)
        if claim is None:
            hold.release()
            return None
        claim.ceiling = ceiling
        return claim

    async def _money(self, model: ModelChanged, payer: Payer, ceiling: Ceiling | None) -> Hold:
        if not is_charged(model, payer):
            return nothing_held()
        key, cost, quota = self._wanted(model, payer, ceiling)
        return await self.leases.hold(key, cost, free_quota=quota)

    def _wanted(self, model: ModelChanged, payer: Payer, ceiling: Ceiling | None) -> tuple[BalanceLeaseKey, Cost, int]:
        """Returns whose money to hold and how much, and the free units that the payer may have."""
        billing = model.billing
        most = None if ceiling is None else ceiling.units(billing.price_nano)
        cost = self.estimates.of(model.model_id, billing, most_units=most)
        return _balance_lease_key(model, payer), cost, billing.free_unit_quota


def _balance_lease_key(model: ModelChanged, payer: Payer) -> BalanceLeaseKey:
    return BalanceLeaseKey(payer.account_id, model.account_id, model.model_id, model.billing.currency)


def is_charged(model: ModelChanged, payer: Payer) -> bool:
    """Returns whether the call costs the payer anything."""
    return model.billing.price_nano > 0 and pays(payer_account_id=payer.account_id, owner_account_id=model.account_id)
