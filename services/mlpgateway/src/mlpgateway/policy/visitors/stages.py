"""The stages of a visitor's call. The pipeline of other callers does not contain them.

The caller is no account (0), so that no service takes a visitor for its owner. The payer is the owner of the model, who
pays nothing for own models: the call is free whatever the model costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from mlpgateway.call.call import Call, Caller
from mlpgateway.call.identity import Identity, Payer, StandingCaller
from mlpgateway.call.plan import Plan, Plans, plan_of
from mlpgateway.policy.access.authenticate import Authenticate
from mlpgateway.policy.access.authorise import Authorise
from mlpgateway.policy.admit import Admit
from mlpgateway.policy.limits.claim import Claim
from mlpgateway.policy.limits.rules import Rule
from mlpgateway.policy.money.lease import nothing_held
from mlpgateway.policy.visitors.limits import model_rule
from mlplace_contracts.events import ModelChanged
from mlplace_kit.errors import DomainError, ModelNotFound, NotAuthorized

NOBODY: Final = 0
"""The account id of visitors: no account has it."""


class VisitorAuthenticate(Authenticate):
    """`Caller.selected_account` holds the owner of the model, which the entry point looked up."""

    async def caller(self, caller: Caller) -> Identity:
        if caller.selected_account is None or caller.credential is not None:
            raise NotAuthorized
        return Identity(NOBODY, None, may_predict=True, allowed_models=None)

    def standing(self, caller: Caller) -> StandingCaller | None:  # noqa: ARG002  overrides
        """Visitors are judged anew at each call."""
        return None

    async def payer(self, caller: Caller, identity: Identity) -> Payer:  # noqa: ARG002  overrides
        if caller.selected_account is None:
            raise NotAuthorized
        return Payer(caller.selected_account, None, None)


class VisitorAuthorise(Authorise):
    def open_model(self, account: str, model: str) -> ModelChanged:
        """Returns a model that is open to visitors.

        Raises NotAuthorized for all others, missing and private ones included: a visitor learns nothing about them.
        """
        try:
            found = self.model(account, model, Identity(NOBODY, None, may_predict=True, allowed_models=None))
        except DomainError:
            raise NotAuthorized from None
        return found

    def _check_foreign(self, model: ModelChanged, identity: Identity) -> None:  # noqa: ARG002  overrides
        if not model.open_to_visitors:
            raise ModelNotFound


class VisitorPlans(Plans):
    """Visitors wake no model, are not repeated and not batched with others, and leave nothing in cache or archive."""

    def of(self, model: ModelChanged) -> Plan:
        plan = self._plans.get(model.model_id)
        if plan is None or plan.model is not model:
            plan = replace(
                plan_of(model), waits=False, wakeable=False, repeats=None, batches=None, caching=None, archive=None
            )
            self._plans[model.model_id] = plan
        return plan


@dataclass(frozen=True, slots=True)
class VisitorAdmit(Admit):
    total: Rule

    async def hold(
        self,
        call: Call,  # noqa: ARG002  overrides
        model: ModelChanged,
        identity: Identity,  # noqa: ARG002  overrides
        payer: Payer,
    ) -> Claim:
        """Holds no money. Raises VisitorRateExceeded, and NotAuthorized when the owner is blocked."""
        if payer.account_id != model.account_id or self.read_models.balances.is_blocked(payer.account_id):
            raise NotAuthorized
        rules: Sequence[Rule] = (self.total, model_rule(model))
        return Claim(nothing_held(), (), await self.gatekeeper.count(rules))

    def hold_at_once(
        self,
        call: Call,  # noqa: ARG002  overrides
        model: ModelChanged,  # noqa: ARG002  overrides
        identity: Identity,  # noqa: ARG002  overrides
        payer: Payer,  # noqa: ARG002  overrides
    ) -> Claim | None:
        """Visitors' calls always go through `hold`."""
        return None


class UncountedFailures:
    """A visitor waits less long than others: what fails for visitors says nothing about the service."""

    def see(self, model: ModelChanged, error: DomainError) -> None:
        """Counts nothing."""
