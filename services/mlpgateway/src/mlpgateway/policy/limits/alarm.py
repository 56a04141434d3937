"""Reports keys that have spent most of their limit, or cannot pay for a call with the remainder."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from mlpgateway.call.identity import Payer
from mlpgateway.call.wake_up import Writer
from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.policy.limits.claim import Counted
from mlpgateway.policy.limits.rules import Rule
from mlplace_contracts.events import KeySpendingNoticed
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)

_LITTLE: Final = 0.2
_AGAIN_SECONDS: Final = 600.0
_MOST_REMEMBERED: Final = 10_000


class SpendingAlarm:
    """Reports at once, and at most every ten minutes per limit. Mlpcore, which notifies people, removes duplicates."""

    def __init__(self, writer: Writer, clock: Clock, now: Callable[[], float]) -> None:
        """`now` returns monotonic seconds."""
        self._writer = writer
        self._clock = clock
        self._now = now
        self._said: dict[tuple[str, bool], float] = {}

    def look(self, payer: Payer, counting: Counted) -> None:
        """Checks the limits after a charge. Skips limits that fill from zero: they are low for another reason."""
        for rule, leased in counting:
            if rule.since is None and leased.available() + leased.held <= rule.bucket.capacity * _LITTLE:
                self._say(payer, rule, exhausted=False)

    def exhausted(self, payer: Payer, rule: Rule) -> None:
        self._say(payer, rule, exhausted=True)

    def _say(self, payer: Payer, rule: Rule, *, exhausted: bool) -> None:
        name, now = (rule.bucket.name, exhausted), self._now()
        if payer.key_id is None or rule.spends is None or now - self._said.get(name, -_AGAIN_SECONDS) < _AGAIN_SECONDS:
            return
        if len(self._said) >= _MOST_REMEMBERED:
            self._said.clear()
        self._said[name] = now
        event = KeySpendingNoticed(
            account_id=payer.account_id,
            key_id=payer.key_id,
            rule=rule.spends,
            exhausted=exhausted,
            occurred_at=self._clock.now(),
        )
        try:
            self._writer.add(event).add_done_callback(lambda written: self._written(name, written))
        except UsageNotRecorded:
            self._said.pop(name, None)

    def _written(self, name: tuple[str, bool], written: asyncio.Future[None]) -> None:
        """Lets the next call report again when the event was not written."""
        if written.cancelled() or written.exception() is not None:
            self._said.pop(name, None)
            log.warning("key_spending_not_written", bucket=name[0])
