"""Fifth stage: send the call to an instance, and to a second one where that is safe."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from mlpgateway.call.call import Answer
from mlpgateway.call.context import CallContext
from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink, NotTakenError
from mlpgateway.delivery.choose import Chooser
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.slot import origin_of
from mlpgateway.delivery.retry_budget import is_failure, is_loss, is_worth_another
from mlpgateway.errors.calls import NoActiveInstances
from mlpgateway.metrics import CHOOSE, RETRIES
from mlpgateway.policy.meter import Meter
from mlplace_kit.errors import DomainError

Send = Callable[[InstanceLink], AsyncGenerator[Answer]]
_SLOW_SHARE: Final = 0.8


class Delivery(msgspec.Struct, frozen=True):
    """What the delivery of one call needs. `again`: a second instance may get the call when the first is lost."""

    context: CallContext
    send: Send
    chooser: Chooser
    breakers: Breakers
    meter: Meter
    again: bool


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A request to one instance that ended in an error, before any other instance got the call. `started` is by
    `time.perf_counter`.
    """

    link: InstanceLink
    error: DomainError
    started: float


class DeliveryAttempt:
    """One request to one instance. Its result counts for the instance's breaker. Close it after use."""

    __slots__ = ("_answered", "_answers", "_delivery", "_started", "link")

    def __init__(self, delivery: Delivery, link: InstanceLink, started: float | None = None) -> None:
        """`started` is when the request was sent, by `time.perf_counter`; None: it is sent now."""
        delivery.meter.instance_id = link.instance_id
        delivery.context.link = link
        self.link = link
        self._delivery = delivery
        self._answered = False
        self._started = time.perf_counter() if started is None else started
        self._answers = delivery.send(link)

    async def next(self) -> Answer | None:
        """Returns the next answer; None at the end."""
        try:
            answer = await anext(self._answers)
        except StopAsyncIteration:
            return None
        except DomainError as error:
            judge_error(self._delivery.breakers, self.link, error)
            raise
        except asyncio.CancelledError:
            context = self._delivery.context
            if context.deadline.is_missed(_SLOW_SHARE * context.plan.answer_seconds):
                self._failed()
            raise
        if not self._answered:
            self._answered = True
            self._delivery.meter.instance_id = self.link.instance_id  # another gate may have chosen it only now
            delivery, elapsed = self._delivery, time.perf_counter() - self._started
            since_part = delivery.context.deadline.seconds_since_part()
            elapsed = elapsed if since_part is None else min(elapsed, since_part)
            judge_answer(delivery.breakers, self.link, answer, elapsed, delivery.context.plan)
        return answer

    async def close(self) -> None:
        """Closes the answers; later ones are dropped."""
        await self._answers.aclose()

    def _failed(self) -> None:
        self._delivery.breakers.failed(origin_of(self.link))


def judge_answer(breakers: Breakers, link: InstanceLink, answer: Answer, seconds: float, plan: Plan) -> None:
    """Counts an error status, or an answer that took nearly all the allowed time, as a failure of the instance.

    It took `seconds`, counted from the last part of the request.
    """
    failed = answer.http is not None and is_failure(answer.http.status)
    if failed or seconds >= _SLOW_SHARE * plan.answer_seconds:
        breakers.failed(origin_of(link))
    elif breakers.any:
        breakers.succeeded(origin_of(link))


def judge_error(breakers: Breakers, link: InstanceLink, error: DomainError) -> None:
    """Counts an error that is not about the request itself as a failure of the instance."""
    if is_worth_another(error):
        breakers.failed(origin_of(link))


StartedAnswer = tuple[DeliveryAttempt, Answer | None]
"""A request whose answer has started, and the first part of the answer; None when the instance ended without any."""


async def deliver(delivery: Delivery, failed: FailedAttempt | None = None) -> StartedAnswer:
    """Sends the call until an instance has begun its answer.

    When the instance's stream breaks before the first answer and `again` is set, the call goes to another instance,
    once. The first instance may already have worked on it, so a model whose predict has side effects may see them
    twice. A call that another gate did not take is simply sent elsewhere. Nothing else is sent again, unless the model
    has retries: see `hedged_request`. `failed` is a request that was sent before, if there was one.
    """
    tried: list[InstanceLink] = []
    lost: DomainError | None = None
    resent = False
    if failed is not None:
        lost = _lost(delivery, failed.error, lost)
        tried.append(origin_of(failed.link))
    while True:
        link = await _next(delivery, tried, lost)
        if lost is not None and not resent:
            resent = True
            RETRIES.inc()
        try:
            return await _started(DeliveryAttempt(delivery, link))
        except NotTakenError:
            tried.append(note_refusal(delivery.context, link))
        except DomainError as error:
            lost = _lost(delivery, error, lost)
            tried.append(origin_of(link))


def _lost(delivery: Delivery, error: DomainError, lost: DomainError | None) -> DomainError:
    """Returns the loss after which the call goes to another instance. Raises any other error, and a second loss."""
    if lost is not None or not delivery.again or not is_loss(error):
        raise error
    delivery.context.may_wait_for_start = False
    return error


def note_refusal(context: CallContext, link: InstanceLink) -> InstanceLink:
    """Returns the link that did not take the call. If it is a gate without instances, the call may still wait here."""
    origin = origin_of(link)
    if origin.instance_id is not None:
        context.may_wait_for_start = False
    return origin


async def _started(sent: DeliveryAttempt) -> StartedAnswer:
    try:
        return sent, await sent.next()
    except BaseException:
        await sent.close()
        raise


async def _next(delivery: Delivery, tried: list[InstanceLink], lost: DomainError | None) -> InstanceLink:
    context, began = delivery.context, time.perf_counter()
    waited = context.waited_seconds
    try:
        link = await delivery.chooser.choose(context, but=tried)
    except NoActiveInstances:
        if lost is not None:
            raise lost from None
        raise
    CHOOSE.observe(max(0.0, time.perf_counter() - began - (context.waited_seconds - waited)))
    return link
