"""Refusals of requests about tasks, and what a task fails with. The interface words both by their codes."""

from mlplace_kit.errors import DomainError


class NotInterruptible(DomainError):
    code = "mlp.core.task_not_interruptible"
    status = 409
    message = "this task cannot be stopped: it is {status}"


class TaskFailed(DomainError):
    """A step cannot reach its goal. Subclasses say why; the task keeps code, arguments and text."""

    code = "mlp.core.task_failed"
    status = 409
    message = "{reason}"


class PredecessorFailed(TaskFailed):
    code = "mlp.core.task_predecessor_failed"
    message = "a task that it waited for did not complete"


class PartFailed(TaskFailed):
    code = "mlp.core.task_part_failed"
    message = "{name}: {reason}"


class PartsFailed(TaskFailed):
    """`name` and `reason` are those of the first part that did not complete."""

    code = "mlp.core.task_parts_failed"
    message = "{count} of {total} did not complete; {name}: {reason}"


class StepDefect(TaskFailed):
    code = "mlp.core.task_step_defect"
    message = "{error}: it failed {attempts} times"


class StepNeverFinished(TaskFailed):
    code = "mlp.core.task_step_never_finished"
    message = "it was started {attempts} times and never finished"
