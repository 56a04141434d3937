"""Fifth stage: send the call to an instance, a second time where that is safe."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from mlpgateway.metrics import CHOOSE, RETRIES
from mlpgateway.proxy.breaker import Breakers
from mlpgateway.proxy.call import Answer
from mlpgateway.proxy.choose import Chooser
from mlpgateway.proxy.errors import NoActiveInstances
from mlpgateway.proxy.meter import Meter
from mlpgateway.proxy.patience import Patience as Patience  # noqa: PLC0414  part of this stage
from mlpgateway.proxy.repeats import is_loss, is_worth_another
from mlpgateway.proxy.seat import origin_of
from mlpgateway.proxy.transport import InstanceLink, NotTakenError
from mlpgateway.proxy.visit import Visit
from mlplace_kit.errors import DomainError

Send = Callable[[InstanceLink], AsyncGenerator[Answer]]
_SLOW_SHARE: Final = 0.8


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one call is delivered with. `again`: it may be sent to a second instance when the first is lost."""

    visit: Visit
    send: Send
    chooser: Chooser
    breakers: Breakers
    meter: Meter
    again: bool


async def deliver(delivery: Delivery) -> AsyncGenerator[Answer]:
    """The answers of an instance, as they come.

    When the stream of the instance breaks before anything was answered, the call goes to another instance, once, if
    `again`: the first may have worked on it in vain, so a model whose predict has effects of its own may see them
    twice. A call that another gate did not take goes on as if nothing had been. Nothing else is ever sent again,
    unless the model says so: see `hedge`.
    """
    tried: list[InstanceLink] = []
    lost: DomainError | None = None
    while True:
        link = await _next(delivery, tried, lost)
        answered = False
        try:
            async with aclosing(sent(delivery, link)) as answers:
                async for answer in answers:
                    answered = True
                    yield answer
        except NotTakenError:
            tried.append(origin_of(link))
        except DomainError as error:
            if answered or lost is not None or not delivery.again or not is_loss(error):
                raise
            RETRIES.inc()
            tried.append(origin_of(link))
            lost = error
        else:
            return


async def _next(delivery: Delivery, tried: list[InstanceLink], lost: DomainError | None) -> InstanceLink:
    visit, began = delivery.visit, time.perf_counter()
    waited = visit.waited_seconds
    try:
        link = await delivery.chooser.choose(visit, but=tried)
    except NoActiveInstances:
        if lost is not None:
            raise lost from None
        raise
    CHOOSE.observe(max(0.0, time.perf_counter() - began - (visit.waited_seconds - waited)))
    return link


async def sent(delivery: Delivery, link: InstanceLink) -> AsyncGenerator[Answer]:
    """One request and its answers. What the instance makes of it counts for its breaker."""
    delivery.meter.instance_id = link.instance_id
    delivery.visit.link = link
    started = time.perf_counter()
    answered = False
    try:
        async with aclosing(delivery.send(link)) as answers:
            async for answer in answers:
                if not answered:
                    answered = True
                    delivery.meter.instance_id = link.instance_id  # another gate has chosen it meanwhile
                    _judge(delivery, link, time.perf_counter() - started)
                yield answer
    except DomainError as error:
        if is_worth_another(error):
            delivery.breakers.failed(origin_of(link))
        raise
    except asyncio.CancelledError:
        if delivery.visit.patience.is_over:
            delivery.breakers.failed(origin_of(link))
        raise


def _judge(delivery: Delivery, link: InstanceLink, seconds: float) -> None:
    """An answer that took nearly all the time that there is, is as good as none."""
    if seconds >= _SLOW_SHARE * delivery.visit.plan.answer_seconds:
        delivery.breakers.failed(origin_of(link))
    elif delivery.breakers.any:
        delivery.breakers.succeeded(origin_of(link))
