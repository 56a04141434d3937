"""Steps that any kind of task may use."""

from collections.abc import Sequence

from mlpcore.features.tasks.errors import PartFailed, PartsFailed
from mlpcore.features.tasks.kinds import Done, Outcome, Step, Turn, Wait
from mlpcore.features.tasks.states import OVER, JobStatus
from mlpcore.features.tasks.tables import Task

_WELL = frozenset({JobStatus.COMPLETED.value, JobStatus.REPLACED.value})
_SECONDS = 2.0


class EachBegun(Step):
    """Waits until each task of `turn.data["begun"]` has ended, however it ends. Then it fails if one did not complete.

    For tasks that have nothing to do with each other: one that fails leaves the others alone.
    """

    name = "Waiting for its parts"

    async def advance(self, turn: Turn) -> Outcome:
        begun = await turn.tasks.by_ids(turn.data.get("begun", ()))
        if any(JobStatus(task.status) not in OVER for task in begun):
            return Wait(sum(task.percentage for task in begun) / (100 * len(begun)), _SECONDS)
        lost = [task for task in begun if task.status not in _WELL]
        if not lost:
            return Done()
        raise PartsFailed(
            count=str(len(lost)), total=str(len(begun)), name=lost[0].entity_display_name, reason=_reason(lost[0])
        )

    async def revert(self, turn: Turn) -> Outcome:
        return await stop_begun(turn)


async def stop_begun(turn: Turn) -> Outcome:
    """Interrupts the tasks of `turn.data["begun"]`: running ones undo what they did, the others never begin."""
    return await _stop(turn, await turn.tasks.by_ids(turn.data.get("begun", ()), lock=True))


async def _stop(turn: Turn, tasks: Sequence[Task]) -> Outcome:
    for task in tasks:
        await turn.tasks.interrupt(task)
    return Done() if all(JobStatus(task.status) in OVER for task in tasks) else Wait(0.0, _SECONDS)


class AllParts(Step):
    """Waits until all parts of the task have completed. Its progress is their mean. It fails when a part fails."""

    name = "Waiting for its parts"

    async def advance(self, turn: Turn) -> Outcome:
        parts = await turn.tasks.children(turn.task)
        if all(part.status in _WELL for part in parts):
            return Done()
        lost = next((part for part in parts if part.status in {"FAILED", "REVERTED"}), None)
        if lost is not None:
            raise PartFailed(name=lost.entity_display_name, reason=_reason(lost))
        return Wait(sum(part.percentage for part in parts) / (100 * len(parts)), _SECONDS)

    async def revert(self, turn: Turn) -> Outcome:
        """Interrupts all parts: running ones undo what they did, the others never begin."""
        return await _stop(turn, await turn.tasks.lock_children(turn.task))


def _reason(lost: Task) -> str:
    return lost.error_message or "it was stopped"
