"""Steps that call systems outside the platform's databases: trainings, dumps, providers of machines.

Such a step has three parts. `prepare` and `apply` run like any other step, in short transactions with the task's row.
Between them `work` runs without a session, for minutes or hours. Meanwhile the process renews the claim of the task,
and cancels the work when the task is stopped or the claim is lost.

`apply` runs once for a result, in the transaction that ends the claim. `work` may run several times, even at the same
time: its process may die, or only seem dead while another process begins. Its external calls must therefore take
`context.key` as an idempotency key, or be safe to repeat.
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
    """The input of the work: values, not rows, because their session is closed when the work runs."""

    plan: Plan


class IoStep(Step, Generic[Plan, Found]):
    """`prepare` passes a `Plan` to `work`; `work` passes `Found` to `apply`.

    To undo an external effect, `revert` returns a `Work`, which is claimed, renewed and retried in the same way.
    """

    outside = True
    attempts: ClassVar[int] = 8
    """With pauses of 2, 4, 8 … 128 seconds between attempts, a step survives an outage of four minutes."""
    limit_seconds: ClassVar[float] = 3600.0
    """A work that takes longer is cancelled and retried."""

    @abstractmethod
    async def prepare(self, turn: Turn) -> Ready[Plan] | Outcome:
        """Returns Ready, or Done or Wait when there is nothing to work on. Raises like `advance`."""

    @abstractmethod
    async def work(self, plan: Plan, context: WorkContext) -> Found:
        """Runs outside any session. Raises a DomainError; after any other error it is retried.

        It is cancelled when the task is stopped or the claim is lost, and again every ten seconds until it ends.
        """

    @abstractmethod
    async def apply(self, turn: Turn, found: Found) -> Outcome:
        """Writes the result. After Wait, `prepare` runs again. Raises like `advance`."""

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
