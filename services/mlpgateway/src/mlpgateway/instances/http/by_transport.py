"""Fourth stage: choose the transport of a call, streams or HTTP. Each has its own instances and request queues."""

from collections.abc import Collection

from mlpgateway.call.context import CallContext
from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink, InstanceLinks
from mlpgateway.delivery.choose import Chooser


class ByTransport:
    """Satisfies Chooser."""

    def __init__(self, *, streams: Chooser, http: Chooser) -> None:
        self._streams = streams
        self._http = http

    def _of(self, context: CallContext) -> Chooser:
        return self._http if context.over_http else self._streams

    async def choose(self, context: CallContext, *, but: Collection[InstanceLink] = ()) -> InstanceLink:
        return await self._of(context).choose(context, but=but)

    def at_once(self, plan: Plan, *, but: Collection[InstanceLink] = ()) -> InstanceLink | None:
        return (self._http if plan.http_only else self._streams).at_once(plan, but=but)

    def queues_here(self, context: CallContext) -> bool:
        return self._of(context).queues_here(context)

    def spare(self, context: CallContext, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        return self._of(context).spare(context, but=but)


class AllInstances:
    """Satisfies InstanceLinks for the instances of all transports."""

    def __init__(self, *ways: InstanceLinks) -> None:
        self._ways = ways

    def of_model(self, model_id: int) -> list[InstanceLink]:
        return [link for way in self._ways for link in way.of_model(model_id)]
