"""Decisions about callers and models that hold until an event of a read model."""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from mlpgateway.call.call import Caller
from mlpgateway.pipeline.before_instance import StandingDecision
from mlpgateway.warm.heads import PlainHead
from mlpgateway.warm.requests import PreparedRequest, prepare
from mlplace_contracts.events import (
    AccountLimitsChanged,
    ApiKeyChanged,
    BalanceChanged,
    Event,
    InstanceChanged,
    ModelChanged,
    PredictConfigChanged,
)
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import DomainError

MOST_VERDICTS: Final = 20_000
_Key = tuple[str, str, str, bool]
"""The keyed hash of the caller's key, the account and model as the path names them, and whether requests are passed on.
"""
_Concern = tuple[str, int]


class Decide(Protocol):
    def __call__(self, account: str, model: str, caller: Caller, *, passed_on: bool) -> StandingDecision | None:
        """Returns what holds for all plain calls of a model; see StagesBeforeInstance."""
        ...


class Verdict(NamedTuple):
    """`prepared` is the standing request as an instance gets it."""

    standing: StandingDecision
    prepared: PreparedRequest


class Verdicts:
    """A bounded cache. Call `changed` with each event after the read models have applied it."""

    def __init__(
        self, decide: Decide, hasher: KeyedHasher, ready: Callable[[], bool], most: int = MOST_VERDICTS
    ) -> None:
        self._decide = decide
        self._hasher = hasher
        self._ready = ready
        self._most = most
        self._verdicts: dict[_Key, Verdict] = {}
        self._unfit: set[_Key] = set()
        """Calls that must go the ordinary way, so that they are not judged twice each."""
        self._concerning: dict[_Concern, set[_Key]] = {}

    def __len__(self) -> int:
        return len(self._verdicts)

    def find(self, head: PlainHead) -> Verdict | None:
        """Returns None for a call that must go the ordinary way."""
        target = head.target
        key = (self._hasher.digest(head.key), target.account, target.model, target.path is not None)
        verdict = self._verdicts.get(key)
        if verdict is None and key not in self._unfit and self._ready():
            verdict = self._judge(key, head)
        return verdict

    def _judge(self, key: _Key, head: PlainHead) -> Verdict | None:
        caller = Caller(head.key, credential_is_session=False, billing_key=None, client_ip=head.client_ip)
        try:
            standing = self._decide(head.target.account, head.target.model, caller, passed_on=key[-1])
        except DomainError:
            standing = None
        prepared = None if standing is None else prepare(standing, passed_on=key[-1])
        if standing is None or prepared is None:
            if len(self._unfit) >= self._most:
                self._unfit.clear()
            self._unfit.add(key)
            return None
        if len(self._verdicts) >= self._most:
            self._forget(next(iter(self._verdicts)))
        verdict = self._verdicts[key] = Verdict(standing, prepared)
        for concern in _concerns(standing):
            self._concerning.setdefault(concern, set()).add(key)
        return verdict

    def changed(self, event: Event) -> None:
        """Drops the verdicts that may depend on what the event changed: all of them for an unknown type of event.

        Blocks of payers and instances are looked up for each call.
        """
        match event:
            case BalanceChanged() | InstanceChanged():
                return
            case ApiKeyChanged():
                self._drop(("key", event.key_id))
            case AccountLimitsChanged():
                self._drop(("caller", event.account_id))
            case ModelChanged():
                # A model may take the name of another one of its owner.
                self._drop(("owner", event.account_id))
                self._drop(("model", event.model_id))
            case PredictConfigChanged():
                self._drop(("model", event.model_id))
            case _:  # an account may take the name of another one
                self._verdicts.clear()
                self._concerning.clear()
        self._unfit.clear()

    def _drop(self, concern: _Concern) -> None:
        for key in self._concerning.pop(concern, ()):
            self._forget(key)

    def _forget(self, key: _Key) -> None:
        verdict = self._verdicts.pop(key, None)
        if verdict is None:
            return
        for concern in _concerns(verdict.standing):
            keys = self._concerning.get(concern)
            if keys is not None:
                keys.discard(key)
                if not keys:
                    del self._concerning[concern]


def _concerns(standing: StandingDecision) -> tuple[_Concern, ...]:
    decided = standing.decided
    return (
        ("key", decided.identity.key_id or 0),
        ("caller", decided.identity.account_id),
        ("owner", decided.model.account_id),
        ("model", decided.model.model_id),
    )
