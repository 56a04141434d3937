"""The request queues of a gate: one for each model with calls that wait or hold a slot."""

from mlpgateway.call.plan import Plan
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.model_queue import Queue
from mlpgateway.errors.calls import QueueFull
from mlpgateway.shares.room import WaitingShares


class ModelQueues(dict[int, Queue]):
    """By model id. It is a dict because every call looks up its model here."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__()
        self._bounds = bounds

    def of(self, plan: Plan) -> Queue:
        """Returns the queue of the plan's model, a new one if there is none. `tidy` removes it again."""
        limit = plan.concurrency or self._bounds.woken_concurrency
        queue = self.get(plan.model.model_id)
        if queue is None:
            queue = Queue(plan, limit, ageing_seconds=self._bounds.ageing_seconds, room=self._room())
            self[plan.model.model_id] = queue
        queue.limit = limit  # a newer plan may have another one
        return queue

    def tidy(self, queue: Queue) -> None:
        """Removes the queue when no call waits in it or holds a slot."""
        if queue.idle and self.get(queue.model_id) is queue:
            del self[queue.model_id]

    def _room(self) -> WaitingShares:
        bounds = self._bounds
        calls = max(1, bounds.calls_per_model)
        return WaitingShares("model_waiting", calls, bounds.bytes_per_model, bounds.fractions, full=QueueFull)
