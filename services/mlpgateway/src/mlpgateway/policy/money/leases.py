"""Leases of all payers. Calls draw from them in memory; leases are renewed and returned in the background."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta

import structlog

from mlpgateway.metrics import LEASES_ASKED
from mlpgateway.policy.money.balance_lease import BalanceLease, BalanceLeaseKey
from mlpgateway.policy.money.billing import Billing
from mlpgateway.policy.money.lease import Hold, Lease
from mlplace_contracts.events import BalanceChanged
from mlplace_contracts.internal.billing import ReserveRequest
from mlplace_contracts.internal.billing_refusals import AccountBlocked, InsufficientFunds
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError, Unavailable
from mlplace_kit.ids import new_event_id
from mlplace_kit.money import MAX_NANO, Currency
from mlplace_kit.pricing import Cost

log = structlog.get_logger(__name__)

_MAINTENANCE_SECONDS = 1.0
_IDLE = timedelta(seconds=10)
_CALLS_AT_ONCE = 16
_RECALL_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.5)
"""Seconds. How long a call waits for unused money of other gates, if they hold any; otherwise it does not wait."""
_RECALL_PAUSES_OF_ANSWERS = (0.05, 0.1, 0.2)
"""Seconds. How long an answer waits that costs more than is reserved for it."""


@dataclass(frozen=True, slots=True)
class Terms:
    """`max_leased_nano` is the most to ask for at a time, unless a single call costs more."""

    gate: str
    max_leased_nano: int


class Leases:
    """The leases. Run `run` in the background; call `release_all` when no call is left."""

    def __init__(self, billing: Billing, clock: Clock, terms: Terms) -> None:
        self._billing = billing
        self._clock = clock
        self._terms = terms
        self._balance_leases: dict[BalanceLeaseKey, BalanceLease] = {}
        # Ended leases whose last figures mlpbilling does not know yet.
        self._ending: set[Lease] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._at_once = asyncio.Semaphore(_CALLS_AT_ONCE)

    async def hold(self, key: BalanceLeaseKey, cost: Cost, *, free_quota: int) -> Hold:
        """Holds the cost: at once when a lease covers it, else after a request to mlpbilling.

        Raises InsufficientFunds, AccountBlocked; Unavailable when mlpbilling does not answer.
        """
        held = self.hold_at_once(key, cost, free_quota=free_quota)
        return held or await self._hold_after_lease(self._balance_lease(key), cost, free_quota)

    def hold_at_once(self, key: BalanceLeaseKey, cost: Cost, *, free_quota: int) -> Hold | None:
        """Holds the cost if a lease covers it; None otherwise. Renews a lease that is low in the background."""
        balance_lease = self._balance_lease(key)
        now = self._clock.now()
        held = balance_lease.draw(cost, now)
        if held is not None and balance_lease.is_low(now):
            balance_lease.renewal = self._spawn(self._renew(balance_lease, cost, free_quota))
        return held

    async def hold_more(self, key: BalanceLeaseKey, lacking_nano: int, wanted_nano: int) -> Hold | None:
        """Adds a hold for a call whose answer costs more than is held: of `wanted_nano` if possible, else less.

        The hold has no free units. Returns None when no money is left. Raises Unavailable when mlpbilling does not
        answer.
        """
        balance_lease, wanted = self._balance_lease(key), Cost(wanted_nano, 1)
        async with balance_lease.lock:
            for minimum in (lacking_nano, 1):
                try:
                    await asyncio.shield(self._spawn(self._ask_for_answer(balance_lease, wanted, minimum)))
                except (InsufficientFunds, AccountBlocked):
                    continue
                if balance_lease.leases:  # it may have been called back at once
                    return balance_lease.leases[-1].draw_most(wanted, self._clock.now())
        return None

    async def _ask_for_answer(self, balance_lease: BalanceLease, wanted: Cost, minimum: int) -> None:
        key = balance_lease.key
        for pause in _RECALL_PAUSES_OF_ANSWERS:
            if await self._reserve(balance_lease, wanted, 0, recall=True, minimum_nano=minimum):
                return
            if not await self._release_unused(key.payer_account_id, key.currency):
                await asyncio.sleep(pause)
        await self._reserve(balance_lease, wanted, 0, recall=False, minimum_nano=minimum)

    def _balance_lease(self, key: BalanceLeaseKey) -> BalanceLease:
        balance_lease = self._balance_leases.get(key)
        if balance_lease is None:
            balance_lease = self._balance_leases[key] = BalanceLease(key)
        return balance_lease

    def balance_changed(self, event: BalanceChanged) -> None:
        """Handles a balance event: a refused payer may have money now, or needs what this gate holds unused."""
        if event.unused_wanted or event.rests_wanted:
            self._spawn(self._give_back(event.account_id, event.currency))
            return
        for balance_lease in self._balance_leases.values():
            if balance_lease.key.payer_account_id == event.account_id:
                balance_lease.forget_refusal()

    async def _hold_after_lease(self, balance_lease: BalanceLease, cost: Cost, free_quota: int) -> Hold:
        since = asyncio.get_running_loop().time()
        async with balance_lease.lock:
            held = balance_lease.draw(cost, self._clock.now())
            if held is not None:
                return held
            balance_lease.raise_refusal(cost.nano, self._clock.now())
            balance_lease.raise_unanswered(since)
            for _ in range(2):  # a new lease may be called back at once: ask once more
                # Shielded: when the caller leaves, the lease still serves the next call.
                await asyncio.shield(self._spawn(self._ask(balance_lease, cost, free_quota)))
                held = balance_lease.draw(cost, self._clock.now())
                if held is not None:
                    return held
            raise InsufficientFunds  # the new lease has free units only, too few for this call

    async def _renew(self, balance_lease: BalanceLease, cost: Cost, free_quota: int) -> None:
        try:
            async with balance_lease.lock:
                await self._reserve(balance_lease, cost, free_quota, recall=False)
        except DomainError as error:
            balance_lease.postpone_renewal(self._clock.now())
            log.info("lease_not_renewed", payer=balance_lease.key.payer_account_id, reason=error.code)
        finally:
            balance_lease.renewal = None

    async def _ask(self, balance_lease: BalanceLease, cost: Cost, free_quota: int) -> None:
        """Adds a lease. When the payer's money is used up, all gates return what they hold unused first."""
        key = balance_lease.key
        try:
            for pause in _RECALL_PAUSES:
                if await self._reserve(balance_lease, cost, free_quota, recall=True):
                    return
                if not await self._release_unused(key.payer_account_id, key.currency):
                    await asyncio.sleep(pause)
            await self._reserve(balance_lease, cost, free_quota, recall=False)
        except (InsufficientFunds, AccountBlocked) as error:
            balance_lease.refuse(error, minimum_nano=cost.nano, now=self._clock.now())
            raise
        except Unavailable as error:
            balance_lease.note_unanswered(error, asyncio.get_running_loop().time())
            raise

    async def _reserve(
        self, balance_lease: BalanceLease, cost: Cost, free_quota: int, *, recall: bool, minimum_nano: int | None = None
    ) -> bool:
        """Returns whether anything was granted; without `recall` it raises InsufficientFunds instead of False.

        `minimum_nano` is set for a single answer: less than the cost is enough then.
        """
        key = balance_lease.key
        calls = balance_lease.calls_ahead(self._clock.now()) if minimum_nano is None else 1
        wanted = max(cost.nano, min(cost.nano * calls, self._terms.max_leased_nano))
        LEASES_ASKED.inc()
        granted = await self._billing.reserve(
            ReserveRequest(
                reservation_id=new_event_id(),
                gate=self._terms.gate,
                payer_account_id=key.payer_account_id,
                model_account_id=key.model_account_id,
                model_id=key.model_id,
                currency=key.currency,
                minimum_nano=cost.nano if minimum_nano is None else minimum_nano,
                wanted_nano=wanted,
                free_unit_quota=free_quota,
                wanted_free_units=min(cost.units * calls, free_quota, MAX_NANO),
                recall=recall,
                for_answer=minimum_nano is not None,
            )
        )
        if not granted.granted_nano and not granted.granted_free_units and cost.nano:
            return False
        balance_lease.add(Lease(granted, self._clock.now()))
        if granted.granted_nano >= wanted:
            for older in balance_lease.leases[:-1]:  # the new lease is enough: others may use their remainder
                self._end(balance_lease, older)
        return True

    async def _give_back(self, account_id: int, currency: Currency) -> None:
        await self._release_unused(account_id, currency)

    async def _release_unused(self, account_id: int, currency: Currency) -> bool:
        """Returns the remainders of the payer's leases, of all models. Returns whether there were any."""
        unused = [
            (balance_lease, lease)
            for balance_lease in self._balance_leases.values()
            if (balance_lease.key.payer_account_id, balance_lease.key.currency) == (account_id, currency)
            for lease in balance_lease.leases
            if lease.left_nano > 0
        ]
        for balance_lease, lease in unused:
            self._end(balance_lease, lease)
        await asyncio.gather(*(self._report(lease) for _, lease in unused))
        return bool(unused)

    # ---- In the background

    async def run(self) -> None:
        """Every second until cancelled: ends expired and idle leases and reports to mlpbilling what was spent."""
        while True:
            await asyncio.sleep(_MAINTENANCE_SECONDS)
            await self.maintain()

    async def maintain(self) -> None:
        now = self._clock.now()
        for key, balance_lease in list(self._balance_leases.items()):
            for lease in list(balance_lease.leases):
                newest = lease is balance_lease.leases[-1]
                used_up = not newest and lease.left_nano <= 0 and not lease.left_free
                if used_up or not lease.is_usable(now) or now - lease.last_used >= _IDLE:
                    self._end(balance_lease, lease)
            if not balance_lease.leases and not balance_lease.lock.locked() and balance_lease.renewal is None:
                del self._balance_leases[key]
        await asyncio.gather(*(self._report(lease) for lease in list(self._ending)))

    async def release_all(self) -> None:
        """Returns all remainders at shutdown. Leases that cannot be reported expire at mlpbilling."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for balance_lease in self._balance_leases.values():
            for lease in list(balance_lease.leases):
                self._end(balance_lease, lease)
        await asyncio.gather(*(self._report(lease) for lease in list(self._ending)))

    def _end(self, balance_lease: BalanceLease, lease: Lease) -> None:
        balance_lease.remove(lease)
        lease.ended = True
        self._ending.add(lease)

    async def _report(self, lease: Lease) -> None:
        async with lease.telling:  # an older report that arrives after a newer one would count as the last
            account = lease.account()
            if lease.must_report(self._clock.now()):
                try:
                    async with self._at_once:
                        held = await self._billing.release(lease.reservation_id, account)
                    lease.note_report(account, held, self._clock.now())
                except DomainError as error:
                    log.info("lease_not_released", reservation=str(lease.reservation_id), reason=error.code)
                    if lease.idle and self._clock.now() > lease.expires_at:
                        self._ending.discard(lease)
                    return
            if lease.idle and lease.reported == lease.account():
                self._ending.discard(lease)

    def _spawn(self, work: Awaitable[None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved here because no waiter may be left
