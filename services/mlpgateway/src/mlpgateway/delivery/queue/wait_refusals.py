"""The errors of calls that may not wait, or waited in vain. They tell how long a start of the model takes."""

from mlpgateway.call.plan import Plan
from mlpgateway.call.wake_up import Waker
from mlpgateway.delivery.queue.model_queue import Queue
from mlpgateway.delivery.queue.reachable_instances import ReachableInstances
from mlpgateway.errors.calls import InstanceStartTimeout, NoActiveInstances, QueueFull
from mlpgateway.metrics import SHED


class WaitRefusals:
    __slots__ = ("_instances", "_waker")

    def __init__(self, waker: Waker, instances: ReachableInstances) -> None:
        self._waker = waker
        self._instances = instances

    def full(self, model_id: int, queue: Queue | None) -> QueueFull:
        """Counts the refused call, too. `queue` is the queue of the model; None when there is none."""
        SHED.labels("queue").inc()
        phase = "queue" if self._instances.anywhere(model_id) else "start"
        waiting = queue.order.waiting if queue is not None else 0
        return QueueFull(waiting=str(waiting), phase=phase, **self._estimate(model_id))

    def no_instance(self, plan: Plan) -> NoActiveInstances:
        if not plan.wakeable:
            return NoActiveInstances()
        error = NoActiveInstances(phase="start", **self._estimate(plan.model.model_id))
        error.retry_after_seconds = self._waker.estimate(plan.model.model_id) or error.retry_after_seconds
        return error

    def no_start(self, plan: Plan) -> InstanceStartTimeout:
        model_id = plan.model.model_id
        error = InstanceStartTimeout(seconds=f"{plan.start_seconds:g}", phase="start", **self._estimate(model_id))
        error.retry_after_seconds = self._waker.estimate(model_id) or error.retry_after_seconds
        return error

    def _estimate(self, model_id: int) -> dict[str, str]:
        seconds = self._waker.estimate(model_id)
        return {} if seconds is None else {"estimateSeconds": f"{seconds:.1f}"}
