"""The ledger on a real database for tests that are no coroutines, with crashes wherever a process can be killed."""

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
from mlplace_runtime.db.database import Database

from .conftest import Harness

_Answer = TypeVar("_Answer")
CREDIT = 50
COMMISSION = 1250
"""In basis points: fees of small prices are seldom whole."""

ANSWER_LOST = -1
"""The crash comes after the commit: whoever asked does not know, and asks again."""


class CrashError(BaseException):
    """The process is gone: nothing of the open transaction remains."""


class World:
    """One database for all examples, each with accounts of its own. Operations can be told to die at a statement."""

    def __init__(self, url: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock = ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
        made = MlpbillingSettings(
            database_url=url, credit_limit=Decimal(CREDIT).scaleb(-9), commission_basis_points=COMMISSION
        )
        self.harness = Harness(BillingState(made, Database(url, application_name="test"), self.clock))
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
        """Whether the work died at its statement number `at`, or at its commit; one of fewer statements succeeds."""
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
        """The answer to work that is repeated after a crash, as its callers do: it has one effect.

        `unchanged` is called after a crash before the commit, to see that nothing happened.
        """
        if crash == ANSWER_LOST:
            self.run(work())
        elif crash is not None and self.dies(work(), crash):
            unchanged()
        return self.run(work())

    def close(self) -> None:
        self.run(self.harness.database.close())
        self.loop.close()
