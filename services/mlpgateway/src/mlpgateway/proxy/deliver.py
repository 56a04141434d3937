"""Fifth stage: send the call to an instance, within the time it may take, a second time where that is safe."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from mlpgateway.metrics import RETRIES
from mlpgateway.proxy.call import Answer
from mlpgateway.proxy.choose import Chooser
from mlpgateway.proxy.errors import NoActiveInstances, PredictTimeout
from mlpgateway.proxy.meter import Meter
from mlpgateway.proxy.transport import InstanceError, InstanceLink, NotTakenError
from mlplace_contracts.events import ModelChanged
from mlplace_gateproto import codes
from mlplace_kit.errors import DomainError

Send = Callable[[InstanceLink], AsyncGenerator[Answer]]
LONGEST_SECONDS = 24 * 3600.0


async def deliver(
    model: ModelChanged, send: Send, *, chooser: Chooser, meter: Meter, again: bool
) -> AsyncGenerator[Answer]:
    """The answers of an instance, as they come.

    When the stream of the instance breaks before anything was answered, the call goes to another instance, once, if
    `again`: the first may have worked on it in vain, so a model whose predict has effects of its own may see them
    twice. A call that another gate did not take goes on as if nothing had been. Nothing else is ever sent again.
    """
    tried: list[InstanceLink] = []
    lost: DomainError | None = None
    while True:
        link = await _next(model, chooser, tried, lost)
        meter.instance_id = link.instance_id
        answered = False
        try:
            async with aclosing(send(link)) as answers:
                async for answer in answers:
                    if not answered:
                        answered = True
                        meter.instance_id = link.instance_id  # another gate has chosen it meanwhile
                    yield answer
        except NotTakenError:
            tried.append(link)
        except DomainError as error:
            if answered or lost is not None or not again or not _is_loss(error):
                raise
            RETRIES.inc()
            tried.append(link)
            lost = error
        else:
            return


async def _next(
    model: ModelChanged, chooser: Chooser, tried: list[InstanceLink], lost: DomainError | None
) -> InstanceLink:
    try:
        return await chooser.choose(model, but=tried)
    except NoActiveInstances:
        if lost is not None:
            raise lost from None
        raise


def _is_loss(error: DomainError) -> bool:
    """The gate lost the instance. An instance that answers with this code did answer."""
    return error.code == codes.CHANNEL_CLOSED and not isinstance(error, InstanceError)


class Patience:
    """Waits for answers. The time is for each wait: a stream may take as long as it keeps saying something."""

    def __init__(self, seconds: float) -> None:
        self._seconds = min(seconds, LONGEST_SECONDS)

    async def next(self, answers: AsyncGenerator[Answer]) -> Answer | None:
        """None at the end. Raises PredictTimeout."""
        try:
            async with asyncio.timeout(self._seconds):
                return await anext(answers, None)
        except TimeoutError:
            raise self.refusal() from None

    async def last(self, answers: AsyncGenerator[Answer], each: Callable[[Answer], None]) -> Answer | None:
        """The last answer, all of them within the time. Raises PredictTimeout."""
        last: Answer | None = None
        try:
            async with asyncio.timeout(self._seconds):
                async for answer in answers:
                    each(answer)
                    last = answer
        except TimeoutError:
            raise self.refusal() from None
        return last

    def refusal(self) -> PredictTimeout:
        return PredictTimeout(seconds=f"{self._seconds:g}")
