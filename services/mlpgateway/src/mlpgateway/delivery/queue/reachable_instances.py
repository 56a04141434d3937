"""Which instances of a model a call can reach, at this gate and through others."""

from collections.abc import Collection

from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink, InstanceLinks
from mlpgateway.delivery.choose import Elsewhere


class ReachableInstances:
    """Links in `but` refused the call and do not count."""

    __slots__ = ("_elsewhere", "_links")

    def __init__(self, links: InstanceLinks, elsewhere: Elsewhere | None) -> None:
        self._links = links
        self._elsewhere = elsewhere

    def here(self, model_id: int, but: Collection[InstanceLink] = ()) -> bool:
        """Returns whether this gate has an instance of the model."""
        return any(link.accepts_requests and link not in but for link in self._links.of_model(model_id))

    def anywhere(self, model_id: int, but: Collection[InstanceLink] = ()) -> bool:
        """Returns whether this gate or, as far as it knows, another one has an instance of the model."""
        if self.here(model_id, but):
            return True
        if self._elsewhere is None or not self._elsewhere.reaches(model_id):
            return False
        return not but or self._elsewhere.route_now(model_id, but=but) is not None

    def owner(self, plan: Plan) -> InstanceLink | None:
        """Returns the link to the gate that queues the model's calls; None when this gate does."""
        if self._elsewhere is None:
            return None
        model_id = plan.model.model_id
        return self._elsewhere.owner(model_id, here=self.here(model_id))
