"""All stages of the hot path, in order. Each is a module of its own; this one connects them.

Charged: a complete answer, and the received parts of a streamed answer that its caller ends early.
Free: every other error, the timeout of the model, a caller that left before the first answer, an unrecorded answer.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import aclosing, contextmanager
from functools import partial
from typing import cast

from msgspec.structs import replace

from mlpgateway.call import headers
from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.call_chain import chain_after
from mlpgateway.call.handler import CallHandler, Shape, shaped, unchanged
from mlpgateway.call.identity import Identity
from mlpgateway.call.span import CallSpan
from mlpgateway.call.transport import InstanceError, InstanceLink, InstanceRequest, StreamedInputLink
from mlpgateway.context.metered_call import Keep, MeteredCall
from mlpgateway.delivery.deliver import Delivery, DeliveryAttempt, FailedAttempt, Send, StartedAnswer, deliver
from mlpgateway.delivery.hedged_request import Hedge
from mlpgateway.delivery.retry_budget import Tries
from mlpgateway.errors.calls import CallerTimeout, NothingAnswered, PredictTimeout, StreamedInputNotSupported
from mlpgateway.errors.gate import AnswerNotRead, GateOverloaded
from mlpgateway.metrics import (
    ACTIVE_CALLS,
    INSTANCE_ERRORS,
    INSTANCE_SECONDS,
    REFUSALS,
)
from mlpgateway.pipeline.before_instance import StagesBeforeInstance
from mlpgateway.pipeline.kept_parts import kept_parts_of
from mlpgateway.pipeline.open_streams import OpenStreams
from mlpgateway.pipeline.stages import Stages
from mlpgateway.policy.limits.content import check_llms_of_part, check_part, limits_on
from mlpgateway.shares.share import Share, TakenShares
from mlplace_kit.errors import DomainError, Unavailable


class Pipeline:
    """Satisfies CallHandler."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self.before = StagesBeforeInstance(stages)
        self.open_streams = OpenStreams(self.before)

    @property
    def stages(self) -> Stages:
        return self._stages

    async def unary(self, call: Call, shape: Shape = unchanged) -> Answer:
        if not self._stages.ready():
            return await self._deputy.unary(call, shape)
        return await self._unary(call, shape, None)

    async def kept(self, call: Call, keep: Keep, shape: Shape = unchanged) -> Answer:
        """Like `unary`, but stores the answer together with its usage. Raises Unavailable before the gate is ready."""
        if not self._stages.ready():
            raise Unavailable
        return await self._unary(call, shape, keep)

    async def expect_allowed(self, call: Call, identity: Identity) -> None:
        """Checks who calls what from where, and who pays; takes nothing. Raises the errors of each call about these."""
        payer = await self._stages.authenticate.payer(call.caller, identity)
        self._stages.authorise.call(call.account, call.model, identity, payer)
        self._stages.admit.expect_address(call, identity, payer)

    async def _unary(self, call: Call, shape: Shape, keep: Keep | None) -> Answer:
        with _observed(call) as span, TakenShares() as shares:
            metered = await self.before.let_in(call, span, shares, whole=True)
            try:
                if (rule := metered.plan.caching) is None:
                    return await _finish(metered, shape, keep, await self._ask(metered))
                ask, finish = partial(self._ask, metered), partial(_finish, metered, shape, keep)
                return await self._stages.caching.answer(metered, rule, ask, finish)
            except DomainError as error:
                metered.sign(error)
                raise
            finally:
                metered.close()

    async def _ask(self, metered: MeteredCall, failed: FailedAttempt | None = None) -> Answer:
        """Returns the last answer of an instance, which has to come within the deadline. `failed` is an earlier
        request, which counts for the deadline.

        Earlier parts are kept if the call asks for them, up to the size of one message; else an empty last part gets
        the content of the one before. Raises BrokenAnswer.
        """
        started = time.perf_counter() if failed is None else failed.started
        last: Answer | None = None
        kept = kept_parts_of(metered.call)
        with metered.deadline:
            if failed is not None:
                metered.deadline.spend(time.perf_counter() - started)
            sent, answer = await self._begin(metered, _sender(metered.request), again=True, failed=failed)
            try:
                while answer is not None:
                    metered.read(answer)
                    if last is not None:
                        kept.add(last)
                    last, answer = answer, await sent.next()
            finally:
                await sent.close()
        INSTANCE_SECONDS.observe(time.perf_counter() - started)
        if last is None or not last.last:
            raise NothingAnswered
        return kept.with_last(last)

    async def go_on(self, metered: MeteredCall, failed: FailedAttempt, shape: Shape) -> Answer:
        """Goes on with a call whose first request failed: `unary` would do the same from here on."""
        standing = metered.request
        told = metered.headers_to_instance(chain_after(metered.plan, {}))
        metered.request = replace(standing, data=metered.call.data, headers=told)
        try:
            return await _finish(metered, shape, None, await self._ask(metered, failed))
        except DomainError as error:
            metered.sign(error)
            raise
        finally:
            metered.close()

    @property
    def _deputy(self) -> CallHandler:
        if self._stages.deputy is None:
            raise Unavailable
        return self._stages.deputy

    def _deputy_of(self, call: Call) -> CallHandler:
        """Raises Unavailable for requests that are passed on unchanged: gates do not forward them to each other."""
        if call.http is not None:
            raise Unavailable
        return self._deputy

    def stream(self, call: Call, shape: Shape = unchanged) -> AsyncGenerator[Answer]:
        return self._stream(call, shape) if self._stages.ready() else self._deputy_of(call).stream(call, shape)

    async def _stream(self, call: Call, shape: Shape) -> AsyncGenerator[Answer]:
        with _observed(call) as span, TakenShares() as shares:
            metered = await self.before.let_in(call, span, shares, kept=self._kept_by(call))
            again = call.http is None or call.http.repeatable
            begin = partial(self._begin, metered, _sender(metered.request), again=again)
            async with aclosing(self._relay(metered, begin, shape)) as answers:
                async for answer in answers:
                    yield answer

    def duplex(self, call: Call, inputs: AsyncGenerator[Payload], shape: Shape = unchanged) -> AsyncGenerator[Answer]:
        if not self._stages.ready():
            return self._deputy_of(call).duplex(call, inputs, shape)
        return self._duplex(call, inputs, shape)

    async def _duplex(self, call: Call, inputs: AsyncGenerator[Payload], shape: Shape) -> AsyncGenerator[Answer]:
        """The call is never sent again: the parts of its request are gone with the instance."""
        handed = False

        def send(link: InstanceLink) -> AsyncGenerator[Answer]:
            nonlocal handed
            if not hasattr(link, "send_stream"):
                raise StreamedInputNotSupported
            answers = cast("StreamedInputLink", link).send_stream(metered.request, _checked(inputs, metered))
            handed = True
            return answers

        try:
            with _observed(call) as span, TakenShares() as shares:
                metered = await self.before.let_in(call, span, shares, kept=self._kept_by(call))
                begin = partial(self._begin, metered, send, again=False)
                async with aclosing(self._relay(metered, begin, shape)) as answers:
                    async for answer in answers:
                        yield answer
        finally:
            if not handed:  # once handed over, a task of the link reads and closes them: closing here would fail
                await inputs.aclose()

    def _kept_by(self, call: Call) -> Share | None:
        """Returns the share that a call uses while it lasts. Whether a passed-on request is a stream is not known."""
        shares = self._stages.shares
        if call.http is None:
            return shares.streams
        return shares.sockets if call.is_socket else None

    def relay(
        self, metered: MeteredCall, link: InstanceLink, answers: AsyncGenerator[Answer], started: float
    ) -> AsyncGenerator[Answer]:
        """Goes on, as `stream` would, with a call whose request was sent at `started` and whose answer has begun."""
        stages = self._stages
        delivery = Delivery(metered, lambda _: answers, stages.chooser, stages.breakers, metered.meter, again=False)

        async def begin() -> StartedAnswer:
            sent = DeliveryAttempt(delivery, link, started)
            return sent, await sent.next()

        return self._relay(metered, begin)

    async def _relay(
        self, metered: MeteredCall, begin: Callable[[], Awaitable[StartedAnswer]], shape: Shape = unchanged
    ) -> AsyncGenerator[Answer]:
        """Yields the parts, the last one only after the call is recorded. WebSockets may be silent without limit.

        A caller who ends the answer pays for the parts until then: who loses the right to call, does not read, sends
        something that is refused or nothing more, or whose own time is over. So do callers who leave.
        """
        deadline = metered.deadline
        between = deadline.endless if metered.call.is_socket else lambda: deadline
        sent: DeliveryAttempt | None = None
        self.open_streams.add(metered)
        try:
            with deadline:
                sent, answer = await begin()
            own: Mapping[str, str] | None = None
            while answer is not None:
                metered.read(answer)
                answer = await shaped(answer, shape)
                if answer.last and not metered.free:
                    await metered.record()
                elif metered.more is not None and metered.exceeds_claim:
                    await metered.hold_more()
                own = metered.headers() if own is None else {}  # once, with the first part
                yield replace(answer, headers={**metered.cost_headers(), **headers.to_caller(answer.headers), **own})
                with between():
                    answer = await sent.next()
            metered.expect_recorded()
        except DomainError as error:
            if _is_of_caller(error, metered) or deadline.stopped is not None:
                metered.record_part()
            metered.sign(error)
            raise
        except (GeneratorExit, asyncio.CancelledError):
            metered.record_part()
            raise
        finally:
            self.open_streams.remove(metered)
            metered.close()
            if sent is not None:
                await sent.close()

    async def _begin(
        self, metered: MeteredCall, send: Send, *, again: bool, failed: FailedAttempt | None = None
    ) -> StartedAnswer:
        stages, repeats = self._stages, metered.plan.repeats
        delivery = Delivery(metered, send, stages.chooser, stages.breakers, metered.meter, again)
        if repeats is None or not again:
            return await deliver(delivery, failed)
        return await Hedge(delivery, Tries(repeats, stages.budgets.of(metered.model.model_id))).begin(failed)


@contextmanager
def _observed(call: Call) -> Generator[CallSpan]:
    """Counts the call in the metrics and opens its span."""
    span = CallSpan(call)
    ACTIVE_CALLS.inc()
    try:
        yield span
    except DomainError as error:
        count_refusal(error)
        span.refused(error.code)
        raise
    finally:
        ACTIVE_CALLS.dec()
        span.end()


def count_refusal(error: DomainError) -> None:
    """Counts a call that ended in the error."""
    if isinstance(error, InstanceError):
        INSTANCE_ERRORS.inc()
    else:
        REFUSALS.labels(error.code).inc()


def _is_of_caller(error: DomainError, metered: MeteredCall) -> bool:
    """Returns whether the caller ended the answer: by its own time, by a part that was refused or did not come, or by
    not reading. The gate that noticed the latter may be another one.
    """
    if isinstance(error, PredictTimeout):
        return isinstance(error, CallerTimeout) or metered.deadline.awaited_caller
    unread = error.code == AnswerNotRead.code and not isinstance(error, InstanceError)
    return unread or metered.input_failed


async def _finish(metered: MeteredCall, shape: Shape, keep: Keep | None, answer: Answer) -> Answer:
    """Returns the answer in its shape, with the caller's headers, after recording the call."""
    answer = await shaped(answer, shape)
    answer = replace(answer, headers=metered.headers_to_caller(answer))
    await metered.record(partial(keep, answer) if keep else None)
    # Not kept with the answer: a repetition of the call costs nothing.
    return replace(answer, headers={**metered.cost_headers(), **answer.headers})


async def _checked(inputs: AsyncGenerator[Payload], metered: MeteredCall) -> AsyncGenerator[Payload]:
    """Yields the parts of a request.

    Raises PayloadTooLarge above the size that the caller's key or the paying one may send, LlmNotAllowed for a language
    model that one of them may not use, and the error with which the call was stopped.
    """
    limits, passed_on = limits_on(metered.identity, metered.payer), metered.call.http is not None
    seen, deadline = [0] * len(limits), metered.deadline
    in_turns = not metered.call.is_socket  # messages of a WebSocket need no answers
    if in_turns:
        deadline.await_caller()
    try:
        async with aclosing(inputs):
            async for part in inputs:
                deadline.hear_caller()
                if deadline.stopped is not None:
                    raise deadline.stopped
                if passed_on:
                    deadline.resume()  # a large body may take longer than an answer
                for place, limit in enumerate(limits):
                    if limit.size is not None:
                        seen[place] = check_part(limit.size, seen[place], part)
                if not passed_on:
                    check_llms_of_part(limits, part, metered.model)
                yield part
                if in_turns:
                    deadline.await_caller()
    except DomainError as error:
        metered.input_failed = not isinstance(error, GateOverloaded)
        raise
    finally:
        deadline.hear_caller(again=False)


def _sender(request: InstanceRequest) -> Send:
    return lambda link: link.send(request)
