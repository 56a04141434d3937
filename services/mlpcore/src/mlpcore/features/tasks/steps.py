"""Steps that any kind of task may use."""

from mlpcore.features.tasks.kinds import Done, Outcome, Step, StepFailedError, Turn, Wait
from mlpcore.features.tasks.states import OVER, JobStatus

_WELL = frozenset({JobStatus.COMPLETED.value, JobStatus.REPLACED.value})
_SECONDS = 2.0


class AllParts(Step):
    """Waits until all parts of the task have completed. Its progress is their mean. It fails when a part fails."""

    name = "Waiting for its parts"

    async def advance(self, turn: Turn) -> Outcome:
        parts = await turn.tasks.children(turn.task)
        if all(part.status in _WELL for part in parts):
            return Done()
        lost = next((part for part in parts if part.status in {"FAILED", "REVERTED"}), None)
        if lost is not None:
            raise StepFailedError(
                f"{lost.entity_display_name}: {lost.error_message or 'it was stopped'}",
                code=lost.error_code or "mlp.core.task_failed",
            )
        return Wait(sum(part.percentage for part in parts) / (100 * len(parts)), _SECONDS)

    async def revert(self, turn: Turn) -> Outcome:
        """Interrupts all parts: running ones undo what they did, the others never begin."""
        parts = await turn.tasks.lock_children(turn.task)
        for part in parts:
            await turn.tasks.interrupt(part)
        return Done() if all(JobStatus(part.status) in OVER for part in parts) else Wait(0.0, _SECONDS)
