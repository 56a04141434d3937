"""Steps that talk to something outside the platform's databases: trainings, dumps, providers of machines.

Such a step has three parts. `prepare` and `apply` are runs of a step like any other: short transactions with the
task's row. Between them `work` runs without any session, for minutes or hours. The task stays claimed meanwhile; the
process renews the lease, and cancels the work when the task was stopped or the claim is lost.

`apply` runs once for a result, in the transaction that ends the claim. `work` may run any number of times: its process
may die, and a process that only seemed dead may still be at it while another begins. So what it calls outside must take
`context.key` as an idempotency key, or bear being done twice.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Generic, TypeVar

from mlpcore.features.tasks.kinds import Apply, Outcome, Step, Turn, Work, WorkContext

Plan = TypeVar("Plan")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Ready(Generic[Plan]):
    """What the work needs to know: values, not rows, because their session is closed by then."""

    plan: Plan


class IoStep(Step, Generic[Plan, Found]):
    """`Plan` is what `prepare` hands to `work`, `Found` what `work` hands to `apply`.

    To undo something outside, `revert` returns a `Work` of its own: it is claimed, renewed and tried again alike.
    """

    outside = True
    attempts: ClassVar[int] = 8
    """With pauses of 2, 4, 8 … 128 seconds between them: an outage of four minutes is survived."""
    limit_seconds: ClassVar[float] = 3600.0
    """A work that takes longer is cancelled, and tried again."""

    @abstractmethod
    async def prepare(self, turn: Turn) -> Ready[Plan] | Outcome:
        """Done or Wait where there is nothing to work on. Raises as `advance`."""

    @abstractmethod
    async def work(self, plan: Plan, context: WorkContext) -> Found:
        """Outside any session. Raises StepFailedError or a DomainError; after any other error it is tried again.

        It is cancelled when nobody wants it any more, and again every ten seconds until it has ended.
        """

    @abstractmethod
    async def apply(self, turn: Turn, found: Found) -> Outcome:
        """Write the result. After Wait the step is prepared anew. Raises as `advance`."""

    async def advance(self, turn: Turn) -> Outcome | Work:
        prepared = await self.prepare(turn)
        if isinstance(prepared, Ready):
            return Work(partial(self._work, prepared.plan), self.limit_seconds)
        return prepared

    async def _work(self, plan: Plan, context: WorkContext) -> Apply:
        found = await self.work(plan, context)
        return partial(self._apply, found)

    async def _apply(self, found: Found, turn: Turn) -> Outcome:
        return await self.apply(turn, found)
