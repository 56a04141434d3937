"""The ledger on a real database for synchronous tests, with simulated crashes at any statement."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeVar

from sqlalchemy import event

from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlplace_kit.clock import ManualClock
from mlplace_testing.compiled import opened_database

from .conftest import Harness

_Answer = TypeVar("_Answer")
CREDIT = 50
COMMISSION = 1250
"""In basis points, chosen so that fees of small prices are seldom whole."""

ANSWER_LOST = -1
"""A crash after the commit: the caller does not know the result and repeats the request."""


class CrashError(BaseException):
    """The process has crashed: the open transaction is rolled back."""


class World:
    """One database for all examples, each with its own accounts. An operation can be made to crash at a statement."""

    def __init__(self, url: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock = ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
        made = MlpbillingSettings(
            database_url=url, credit_limit=Decimal(CREDIT).scaleb(-9), commission_basis_points=COMMISSION
        )
        self.harness = Harness(BillingState(made, opened_database(url, keeps=False), self.clock))
        self.accounts = itertools.count(1000, 10)
        self.crashes = 0
        self.fees: dict[str, int] = {}
        """Of all examples until now, by currency."""
        self._left: int | None = None
        engine = self.harness.database.engine.sync_engine
        event.listen(engine, "before_cursor_execute", self._count)
        event.listen(engine, "commit", self._count)

    def _count(self, *_: Any) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                self._left = None
                raise CrashError

    def run(self, work: Awaitable[_Answer]) -> _Answer:
        return self.loop.run_until_complete(work)  # type: ignore[arg-type]  # all of ours are coroutines

    def dies(self, work: Awaitable[object], at: int) -> bool:
        """Returns whether the work crashed at statement number `at`, or at its commit; shorter work succeeds."""
        self._left = at
        try:
            self.run(work)
        except CrashError:
            self.crashes += 1
            return True
        finally:
            self._left = None
        return False

    def once(self, work: Callable[[], Awaitable[_Answer]], crash: int | None, unchanged: Callable[[], None]) -> _Answer:
        """Returns the answer of work that is repeated after a crash, as callers do: it takes effect once.

        `unchanged` is called after a crash before the commit, to check that nothing happened.
        """
        if crash == ANSWER_LOST:
            self.run(work())
        elif crash is not None and self.dies(work(), crash):
            unchanged()
        return self.run(work())

    def close(self) -> None:
        self.run(self.harness.database.close())
        self.loop.close()
