"""The stages before the choice of an instance: who calls and pays, which model, its limits and its money.

Most calls are like many others: one key calls one model without further settings. What the first stages decide about
them holds for all of them until an event, so `standing` decides it once, and `let_in_at_once` runs the other stages.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final

from msgspec.structs import replace

from mlpgateway.call.call import Call, Caller, Operation, Payload
from mlpgateway.call.call_chain import chain_after
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.headers import constant_to_instance
from mlpgateway.call.identity import Identity, Payer, StandingCaller
from mlpgateway.call.json_only import expect_json
from mlpgateway.call.plan import Plan
from mlpgateway.call.span import CallSpan
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.context.metered_call import MeteredCall
from mlpgateway.errors.calls import HttpNotOffered
from mlpgateway.errors.limits import RateExceeded
from mlpgateway.metrics import ADMIT, AUTHENTICATE, AUTHORISE, LET_IN, PREPARE, Laps
from mlpgateway.pipeline.stages import Stages
from mlpgateway.policy.limits.claim import Claim
from mlpgateway.policy.meter import Meter
from mlpgateway.shares.share import Share, TakenShares
from mlplace_contracts.events import ModelChanged
from mlplace_kit.errors import ConfigNotFound

_EMPTY_CONFIG: Final = Payload(json="{}")
_MOST_CONFIG_CHARACTERS: Final = 2048
"""Models with a larger default config have no standing decision: each decision holds a copy of it."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What the first two stages decide about a call."""

    identity: Identity
    payer: Payer
    model: ModelChanged
    plan: Plan


@dataclass(frozen=True, slots=True)
class StandingDecision:
    """A decision that holds for all plain calls of one key at one path, until an event of a read model that concerns
    one of them, or until `caller` expires. `request` is the request to an instance without its data and ids.
    """

    caller: StandingCaller
    decided: Decided
    request: InstanceRequest


class StagesBeforeInstance:
    """Runs them for one pipeline."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages

    async def let_in(
        self, call: Call, span: CallSpan, shares: TakenShares, *, whole: bool = False, kept: Share | None = None
    ) -> MeteredCall:
        """Runs the stages before the choice of an instance. Raises the errors of all of them."""
        stages, laps = self._stages, Laps()
        identity = await stages.authenticate.caller(call.caller)
        payer = await stages.authenticate.payer(call.caller, identity)
        laps.end(AUTHENTICATE)
        model = self._authorised(call, identity, payer)
        plan = stages.plans.of(model)
        config = await self._config(call, plan)
        if plan.http_only and call.http is None:
            expect_json(call, config)
        chain = chain_after(plan, call.headers)
        laps.end(AUTHORISE)
        stages.recorders.writer.expect_room()
        shares.take(stages.shares.owners, model.account_id)
        if kept is not None:
            shares.take(kept, identity.account_id)
        checked = call if call.config_id is None else replace(call, config=config)
        claim = await self._claim(checked, Decided(identity, payer, model, plan))
        laps.end(ADMIT)
        span.set_parties(model_id=model.model_id, caller_account_id=identity.account_id)
        request = InstanceRequest(
            call.operation, call.data, config, call.method_name, call.params, {}, call.http, whole
        )
        metered = self._metered(call, Decided(identity, payer, model, plan), request, claim, span)
        metered.request = replace(request, headers=metered.headers_to_instance(chain))
        laps.end(PREPARE)
        LET_IN.observe(laps.total)
        metered.tracked = stages.recorders.samples.began(metered)
        return metered

    async def _claim(self, call: Call, decided: Decided) -> Claim:
        """Counts a call that the account's limit refuses: it never becomes a metered call."""
        try:
            return await self._stages.admit.hold(call, decided.model, decided.identity, decided.payer)
        except RateExceeded:
            self._stages.recorders.samples.exceeded(decided.identity.account_id)
            raise

    def _metered(
        self, call: Call, decided: Decided, request: InstanceRequest, claim: Claim, span: CallSpan
    ) -> MeteredCall:
        stages, plan = self._stages, decided.plan
        metered = MeteredCall(
            plan,
            request,
            _deadline(call, plan),
            decided.identity.account_id,
            whole=request.whole,
            call=call,
            identity=decided.identity,
            payer=decided.payer,
            model=decided.model,
            claim=claim,
            meter=Meter(decided.model, direct_unit_nano=stages.direct_unit_nano, ceiling=claim.ceiling),
            recorders=stages.recorders,
            span=span,
        )
        metered.recheck = partial(self._recheck, metered)
        if claim.ceiling is not None:
            metered.more = self._hold_more
        if plan.archive is not None:
            metered.capture = stages.archive.begin(metered, plan.archive)
        return metered

    async def _recheck(self, metered: MeteredCall) -> None:
        """Checks the key, the model, the balance and the reservation again: a long wait may have changed them."""
        stages, call = self._stages, metered.call
        identity = await stages.authenticate.caller(call.caller)
        self._authorised(call, identity, await stages.authenticate.payer(call.caller, identity))
        stages.admit.expect_admissible(call, identity, metered.payer)
        await stages.admit.renew(metered.claim, metered.model, metered.payer, metered.recorders.clock.now())

    def _authorised(self, call: Call, identity: Identity, payer: Payer) -> ModelChanged:
        """Returns the model. Raises the errors of authorisation, and HttpNotOffered."""
        model = self._stages.authorise.call(call.account, call.model, identity, payer)
        if call.http is not None and model.http is None:
            raise HttpNotOffered
        return model

    async def still_let_in(self, metered: MeteredCall) -> None:
        """Raises the refusal of a call that has begun, if its caller may no longer call, or its payer is blocked."""
        stages, call = self._stages, metered.call
        identity = await stages.authenticate.again(call.caller, metered.identity)
        self._authorised(call, identity, await stages.authenticate.payer(call.caller, identity))
        stages.admit.expect_admissible(call, identity, metered.payer)

    def let_in_as_known(self, metered: MeteredCall) -> None:
        """Like `still_let_in`, as far as this gate knows itself: the caller's account, the model, the payer, and the
        address.
        """
        stages, call = self._stages, metered.call
        stages.authenticate.expect_open(metered.identity)
        self._authorised(call, metered.identity, metered.payer)
        stages.admit.expect_admissible(call, metered.identity, metered.payer)

    def asks_others(self, caller: Caller) -> bool:
        """Returns whether `still_let_in` may ask another service about this caller."""
        return self._stages.authenticate.asks_others(caller)

    async def _hold_more(self, metered: MeteredCall) -> None:
        """Reserves twice the cost so far while more parts may come, so that long streams rarely ask again."""
        cost, claim = metered.meter.cost, metered.claim
        wanted = cost if metered.recorded else metered.meter.within_ceiling(2 * cost.units)
        await self._stages.admit.hold_more(claim, metered.model, metered.payer, cost, wanted)

    async def _config(self, call: Call, plan: Plan) -> Payload | None:
        """Returns the caller's config, else the stored one it names, else the model's default, else an empty object.

        Raises ConfigNotFound, Unavailable.
        """
        if call.operation is not Operation.PREDICT or call.config is not None or call.http is not None:
            return call.config
        configs, model_id = self._stages.configs, plan.model.model_id
        if call.config_id is None:
            return self._default_config(plan)
        found = await configs.find(model_id, call.config_id)
        if found is None:
            raise ConfigNotFound(config=str(call.config_id))
        return found

    def _default_config(self, plan: Plan) -> Payload:
        return self._stages.configs.default(plan.model.model_id) or _EMPTY_CONFIG

    # ---- Calls that need not wait, for entry points that have no task for a call

    def standing(self, account: str, model: str, caller: Caller, *, passed_on: bool = False) -> StandingDecision | None:
        """Returns what holds for every predict call with these credentials and without further headers. Its request has
        the model's own config. `passed_on`: the same for HTTP requests that are passed on to an instance.

        None: such calls must go through `unary`. Raises the errors of authorisation.
        """
        stages = self._stages
        found = stages.authenticate.standing(caller) if stages.ready() else None
        if found is None:
            return None
        allowed = stages.authorise.call(account, model, found.identity, found.payer)
        plan = stages.plans.of(allowed)
        if not plan.is_plain or not allowed.billing.unit.known_before:
            return None
        if passed_on and not plan.http_only:
            return None
        config, chain = None if passed_on else self._default_config(plan), chain_after(plan, {})
        if config is not None and (config.json is None or len(config.json) > _MOST_CONFIG_CHARACTERS):
            return None
        decided = Decided(found.identity, found.payer, allowed, plan)
        told = constant_to_instance(identity=found.identity, payer=found.payer, chain=chain)
        request = InstanceRequest(Operation.PREDICT, None, config, None, {}, told, whole=not passed_on)
        return StandingDecision(found, decided, request)

    def let_in_at_once(
        self, standing: StandingDecision, call: Call, span: CallSpan, shares: TakenShares
    ) -> MeteredCall | None:
        """Runs the stages before the choice of an instance for one more call.

        None: `unary` would have to wait, or would refuse the call. `shares` gets what the caller must give back in any
        case. Raises the errors of the stages.
        """
        stages, decided = self._stages, standing.decided
        if not stages.ready() or not standing.caller.is_valid(stages.recorders.clock.now()):
            return None
        stages.recorders.writer.expect_room()
        if not stages.shares.owners.fits(decided.model.account_id):
            return None
        claim = stages.admit.hold_at_once(call, decided.model, decided.identity, decided.payer)
        if claim is None:
            return None
        shares.take(stages.shares.owners, decided.model.account_id)
        if decided.plan.repeats is not None and (call.http is None or call.http.repeatable):
            stages.budgets.of(decided.model.model_id).called()
        request = standing.request if call.config is None else replace(standing.request, config=call.config)
        metered = self._metered(call, decided, request, claim, span)
        metered.tracked = stages.recorders.samples.began(metered)
        return metered


def _deadline(call: Call, plan: Plan) -> Deadline:
    seconds = call.timeout_seconds or plan.answer_seconds
    return Deadline(seconds, shortened=seconds < plan.answer_seconds)
