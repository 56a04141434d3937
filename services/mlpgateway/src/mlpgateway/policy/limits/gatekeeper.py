"""Checks calls against the limits of accounts and keys, and takes the units that they use."""

from collections.abc import Callable, Sequence
from functools import partial

from mlpgateway.call.identity import Identity, Payer
from mlpgateway.policy.limits.alarm import SpendingAlarm
from mlpgateway.policy.limits.bucket_leases import BucketLeases
from mlpgateway.policy.limits.claim import Claim, Counted, Held, headers_of
from mlpgateway.policy.limits.history import History, counts_from
from mlpgateway.policy.limits.leased_bucket import LeasedBucket, Origin
from mlpgateway.policy.limits.rules import Rule, account_rule, page_rule, paying, request_rule, spending_rule
from mlpgateway.policy.money.lease import Hold
from mlplace_contracts.internal.billing import KeySpendingRequest
from mlplace_contracts.limits import KeyLimits
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError
from mlplace_kit.money import Currency
from mlplace_kit.pricing import Cost

_MOST_REMEMBERED = 10_000
_Rules = Sequence[Rule]
_OfAccounts = dict[int, tuple[int, Rule]]


class Gatekeeper:
    """The limits of accounts and of keys, on the leases of this gate."""

    def __init__(self, bucket_leases: BucketLeases, history: History, alarm: SpendingAlarm, clock: Clock) -> None:
        self._bucket_leases = bucket_leases
        self._alarm = alarm
        self._history = history
        self._clock = clock
        self._accounts: _OfAccounts = {}
        self._pages: _OfAccounts = {}
        self._keys: dict[int, tuple[KeyLimits, _Rules, _Rules]] = {}

    async def count_call(self, identity: Identity, payer: Payer, per_second: int) -> Counted:
        """Counts the call against the limits of the account, the caller's key and the paying key.

        When one limit refuses, the others get their units back. Raises RateExceeded, KeyRateExceeded.
        """
        counted = self.counting(identity, payer, per_second)
        await self._count(counted)
        return counted

    def count_at_once(self, counting: Counted) -> bool:
        """Counts a call against these limits on this gate's leases alone. False: one is used up, nothing is counted."""
        held = self._take_at_once(counting, 1)
        for leased, origin, one in held or ():
            leased.settle(origin, one, one)
        return held is not None

    def counting(self, identity: Identity, payer: Payer, per_second: int) -> Counted:
        """Returns the limits for which the call counts."""
        own = _of_account(self._accounts, identity.account_id, per_second, account_rule)
        counted: Counted = ((own, self._leased(own)),)
        if identity.limits is not None and identity.key_id is not None:
            rules = self._of_key(identity.key_id, identity.limits)[1]
            counted = (*[(rule, self._leased(rule)) for rule in rules], *counted)
        if payer.billing_key is not None and payer.limits is not None and payer.key_id not in {None, identity.key_id}:
            rules = [paying(rule) for rule in self._of_key(payer.key_id or 0, payer.limits)[1]]
            counted = (*[(rule, self._leased(rule)) for rule in rules], *counted)
        return counted

    async def count_file(self, account_id: int, per_second: int) -> Counted:
        """Like `count_call`, for a file of a page. Raises PageRateExceeded."""
        rule = _of_account(self._pages, account_id, per_second, page_rule)
        counted: Counted = ((rule, self._leased(rule)),)
        await self._count(counted)
        return counted

    async def count(self, rules: Sequence[Rule]) -> Counted:
        """Counts a call against all of the limits or none. Raises the error of the limit that refuses."""
        counted: Counted = tuple((rule, self._leased(rule)) for rule in rules)
        await self._count(counted)
        return counted

    async def _count(self, counted: Counted) -> None:
        for leased, origin, one in await self._take(counted, 1, counted):
            leased.settle(origin, one, one)

    async def hold_money(self, hold: Hold, payer: Payer, currency: Currency, counted: Counted) -> Claim:
        """Holds the estimated cost in each spending limit of the paying key that counts this currency.

        Raises KeySpendingExceeded; the caller must then release `hold`.
        """
        counting = self._spending(hold, payer, currency)
        if not counting:
            return Claim(hold, (), counted)
        held = _nothing(counting)
        if hold.nano:
            held = await self._take(counting, hold.nano, counted, partial(self._alarm.exhausted, payer))
        return Claim(hold, held, counted, partial(self._alarm.look, payer, counting))

    def hold_money_at_once(self, hold: Hold, payer: Payer, currency: Currency, counted: Counted) -> Claim | None:
        """Like `hold_money`, on this gate's leases alone. None: one of them has too little; nothing is held then."""
        counting = self._spending(hold, payer, currency)
        if not counting:
            return Claim(hold, (), counted)
        held = self._take_at_once(counting, hold.nano) if hold.nano else _nothing(counting)
        return None if held is None else Claim(hold, held, counted, partial(self._alarm.look, payer, counting))

    def _spending(self, hold: Hold, payer: Payer, currency: Currency) -> Counted:
        """Returns the spending limits that count the money of the hold."""
        if payer.limits is None or payer.key_id is None or not hold.bounds:
            return ()
        rules = self._of_key(payer.key_id, payer.limits)[2]
        return [(rule, self._spending_bucket(rule, payer)) for rule in rules if rule.currency in {None, currency}]

    async def hold_more(self, claim: Claim, cost: Cost) -> None:
        """Holds, in each spending limit, the part of a dearer answer's cost that the account's money pays."""
        for place, (leased, _, _) in enumerate(claim.allowances):
            lacking = claim.payable(cost) - claim.held_of(place)
            if lacking > 0 and (drawn := await self._bucket_leases.draw_most(leased, lacking)):
                claim.add(place, *drawn)

    async def _take(
        self, wanted: Counted, amount: int, shown: Counted, refused: Callable[[Rule], None] | None = None
    ) -> Sequence[Held]:
        """Takes the amount from all limits or none. A refusal shows the limits `shown`; `refused` gets its rule."""
        held: list[Held] = []
        try:
            for rule, leased in wanted:
                origin = self._bucket_leases.draw(leased, amount) or await self._fetched(
                    rule, leased, amount, shown, refused
                )
                held.append((leased, origin, amount))
        except BaseException:
            for leased, origin, taken in held:
                leased.settle(origin, taken, 0)
            raise
        return held

    def _take_at_once(self, wanted: Counted, amount: int) -> Sequence[Held] | None:
        """Takes the amount from all limits or none; None when this gate's lease of one has too little."""
        held: list[Held] = []
        for _, leased in wanted:
            origin = self._bucket_leases.draw(leased, amount)
            if origin is None:
                for other, whence, taken in held:
                    other.settle(whence, taken, 0)
                return None
            held.append((leased, origin, amount))
        return held

    async def _fetched(
        self, rule: Rule, leased: LeasedBucket, amount: int, shown: Counted, refused: Callable[[Rule], None] | None
    ) -> Origin:
        origin = await self._bucket_leases.fetch(leased, amount)
        if origin is None:
            if refused is not None:
                refused(rule)
            raise _refusal(rule, leased, amount, shown)
        return origin

    def _leased(self, rule: Rule) -> LeasedBucket:
        leased = self._bucket_leases.find(rule.bucket.name)
        if leased is None or leased.bucket is not rule.bucket:
            return self._bucket_leases.open(rule.bucket, rule.begins(self._clock.now()))
        return leased

    def _spending_bucket(self, rule: Rule, payer: Payer) -> LeasedBucket:
        leased = self._bucket_leases.find(rule.bucket.name)
        if leased is None or leased.bucket is not rule.bucket:
            begins = rule.begins(self._clock.now())
            return self._bucket_leases.open(rule.bucket, begins, partial(self._restored, rule, payer))
        return leased

    async def _restored(self, rule: Rule, payer: Payer) -> float:
        """Returns a spending limit's level, computed from recorded usage. Raises Unavailable."""
        now, spends = self._clock.now(), rule.spends
        if spends is None or payer.key_id is None:
            return rule.begins(now)
        since = counts_from(spends.since, now, spends.period_seconds)
        request = KeySpendingRequest(
            payer_account_id=payer.account_id, key_id=payer.key_id, currency=spends.currency, since=since
        )
        level = rule.begins(now) - await self._history.spent(request)
        # Money spent beyond a limit that never refills counts when the limit is raised.
        return level if rule.bucket.period_ms is None else max(0.0, level)

    def _of_key(self, key_id: int, limits: KeyLimits) -> tuple[KeyLimits, _Rules, _Rules]:
        known = self._keys.get(key_id)
        if known is None or known[0] is not limits:
            if len(self._keys) >= _MOST_REMEMBERED:
                self._keys.clear()
            calls = () if limits.requests is None else (request_rule(key_id, limits.requests),)
            spending = tuple(spending_rule(key_id, rule) for rule in limits.spending)
            known = self._keys[key_id] = (limits, calls, spending)
        return known


def _nothing(counting: Counted) -> Sequence[Held]:
    """For an estimate that free units cover: the answer may cost more than they cover."""
    return [(leased, "lease", 0) for _, leased in counting]


def _of_account(rules: _OfAccounts, account_id: int, per_second: int, make: Callable[[int, int], Rule]) -> Rule:
    known = rules.get(account_id)
    if known is None or known[0] != per_second:
        if len(rules) >= _MOST_REMEMBERED:
            rules.clear()
        known = rules[account_id] = (per_second, make(account_id, per_second))
    return known[1]


def _refusal(rule: Rule, leased: LeasedBucket, amount: int, counted: Counted) -> DomainError:
    error = rule.refusal()
    seconds = leased.seconds_to(amount)
    if amount > rule.bucket.capacity:
        seconds = None  # no wait helps: the amount exceeds the capacity
    error.retry_after_seconds = seconds
    error.answer_headers = headers_of(counted)
    return error
