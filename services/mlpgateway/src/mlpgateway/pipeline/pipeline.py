"""All stages of the hot path, in order. Each is a module of its own; this one connects them.

Charged: a complete answer, and the received parts of a streamed answer when the caller leaves early.
Free: every error, every timeout, a caller that left before the first answer, an answer that was not recorded.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AbstractContextManager, aclosing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

from msgspec.structs import replace

from mlpgateway.call import headers
from mlpgateway.call.call import Answer, Call, Operation, Payload
from mlpgateway.call.call_chain import chain_after
from mlpgateway.call.context import size_of
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.handler import CallHandler
from mlpgateway.call.plan import Plan, Plans
from mlpgateway.call.span import CallSpan
from mlpgateway.call.transport import InstanceError, InstanceLink, InstanceRequest, StreamedInputLink
from mlpgateway.context.metered_call import Keep, MeteredCall, Recorders
from mlpgateway.delivery.choose import Chooser
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.deliver import Begun, Delivery, DeliveryAttempt, Send, deliver
from mlpgateway.delivery.hedged_request import Hedge
from mlpgateway.delivery.retry_budget import Budgets, Tries
from mlpgateway.errors.calls import BrokenAnswer, HttpNotOffered, NothingAnswered, StreamedInputNotSupported
from mlpgateway.features.archive.writer import ArchiveWriter
from mlpgateway.features.caching.stage import Caching
from mlpgateway.metrics import (
    ACTIVE_CALLS,
    ADMIT,
    AUTHENTICATE,
    AUTHORISE,
    INSTANCE_ERRORS,
    INSTANCE_SECONDS,
    LET_IN,
    PREPARE,
    REFUSALS,
    Laps,
)
from mlpgateway.pipeline.stored_configs import StoredConfigs
from mlpgateway.policy.access.authenticate import Authenticate
from mlpgateway.policy.access.authorise import Authorise
from mlpgateway.policy.admit import Admit
from mlpgateway.policy.limits.content import check_part
from mlpgateway.policy.meter import Meter
from mlpgateway.shares.share import Places, Share
from mlpgateway.shares.shares import Shares
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES
from mlplace_kit.errors import ConfigNotFound, DomainError, Unavailable

_EMPTY_CONFIG = Payload(json="{}")
_PART_BYTES: Final = 128
"""Memory overhead of a kept part in bytes, without its text."""


@dataclass(frozen=True, slots=True)
class Stages:
    authenticate: Authenticate
    authorise: Authorise
    admit: Admit
    chooser: Chooser
    configs: StoredConfigs
    plans: Plans
    breakers: Breakers
    budgets: Budgets
    recorders: Recorders
    caching: Caching
    archive: ArchiveWriter
    shares: Shares
    direct_unit_nano: int
    ready: Callable[[], bool]
    deputy: CallHandler | None = None
    """Serves calls until this gate is `ready`: before that, it cannot authenticate them itself."""


class Pipeline:
    """Satisfies CallHandler."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages

    async def unary(self, call: Call) -> Answer:
        if not self._stages.ready():
            return await self._deputy.unary(call)
        return await self._unary(call, None)

    async def kept(self, call: Call, keep: Keep) -> Answer:
        """Like `unary`, but stores the answer together with its usage. Raises Unavailable before the gate is ready."""
        if not self._stages.ready():
            raise Unavailable
        return await self._unary(call, keep)

    async def _unary(self, call: Call, keep: Keep | None) -> Answer:
        with _observed(call) as span, Places() as places:
            metered = await self._let_in(call, span, places, whole=True)
            try:
                if (rule := metered.plan.caching) is None:
                    return await _finish(metered, keep, await self._ask(metered))
                ask, finish = partial(self._ask, metered), partial(_finish, metered, keep)
                return await self._stages.caching.answer(metered, rule, ask, finish)
            except DomainError as error:
                metered.sign(error)
                raise
            finally:
                metered.close()

    async def _ask(self, metered: MeteredCall) -> Answer:
        """Returns the last answer of an instance, which has to come within the deadline.

        Earlier parts are kept if the call asks for them, up to the size of one message. Raises BrokenAnswer.
        """
        started, keeps = time.perf_counter(), metered.call.keep_parts
        last: Answer | None = None
        before: list[Payload] = []
        size = 0
        with metered.deadline:
            sent, answer = await self._begin(metered, _sender(metered.request), again=True)
            try:
                while answer is not None:
                    metered.read(answer)
                    if keeps and last is not None:
                        size += size_of(last.payload) + _PART_BYTES
                        if size > MAX_MESSAGE_BYTES:
                            raise BrokenAnswer(reason=f"its parts are larger than {MAX_MESSAGE_BYTES} bytes")
                        before.append(last.payload)
                    last, answer = answer, await sent.next()
            finally:
                await sent.close()
        INSTANCE_SECONDS.observe(time.perf_counter() - started)
        if last is None or not last.last:
            raise NothingAnswered
        return replace(last, before=tuple(before)) if before else last

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

    def stream(self, call: Call) -> AsyncGenerator[Answer]:
        return self._stream(call) if self._stages.ready() else self._deputy_of(call).stream(call)

    async def _stream(self, call: Call) -> AsyncGenerator[Answer]:
        with _observed(call) as span, Places() as places:
            metered = await self._let_in(call, span, places, kept=self._kept_by(call))
            again = call.http is None or call.http.repeatable
            async with aclosing(self._relay(metered, _sender(metered.request), again=again)) as answers:
                async for answer in answers:
                    yield answer

    def duplex(self, call: Call, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        return self._duplex(call, inputs) if self._stages.ready() else self._deputy_of(call).duplex(call, inputs)

    async def _duplex(self, call: Call, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        """The call is never sent again: the parts of its request are gone with the instance."""
        handed = False

        def send(link: InstanceLink) -> AsyncGenerator[Answer]:
            nonlocal handed
            if not hasattr(link, "send_stream"):
                raise StreamedInputNotSupported
            answers = cast("StreamedInputLink", link).send_stream(metered.request, _sized(inputs, metered))
            handed = True
            return answers

        try:
            with _observed(call) as span, Places() as places:
                metered = await self._let_in(call, span, places, kept=self._kept_by(call))
                async with aclosing(self._relay(metered, send, again=False)) as answers:
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

    async def _let_in(
        self, call: Call, span: CallSpan, places: Places, *, whole: bool = False, kept: Share | None = None
    ) -> MeteredCall:
        """Runs the stages before the choice of an instance."""
        stages, laps = self._stages, Laps()
        identity = await stages.authenticate.caller(call.caller)
        payer = await stages.authenticate.payer(call.caller, identity)
        laps.end(AUTHENTICATE)
        model = stages.authorise.model(call.account, call.model, identity)
        stages.authorise.payer(model, payer)
        if call.http is not None and model.http is None:
            raise HttpNotOffered
        plan = stages.plans.of(model)
        config = await self._config(call, plan)
        chain = chain_after(plan, call.headers)
        laps.end(AUTHORISE)
        stages.recorders.writer.expect_room()
        places.take(stages.shares.owners, model.account_id)
        if kept is not None:
            places.take(kept, identity.account_id)
        claim = await stages.admit.hold(call, model, identity, payer)
        laps.end(ADMIT)
        span.tell(model_id=model.model_id, caller_account_id=identity.account_id)
        told = headers.to_instance(
            call.headers,
            request_id=call.request_id,
            identity=identity,
            payer=payer,
            trace_parent=span.parent,
            chain=chain,
            max_price_nano=None if claim.ceiling is None else claim.ceiling.nano,
        )
        request = InstanceRequest(
            call.operation, call.data, config, call.method_name, call.params, told, call.http, whole
        )
        meter = Meter(model, direct_unit_nano=stages.direct_unit_nano, ceiling=claim.ceiling)
        metered = MeteredCall(
            plan,
            request,
            Deadline(call.timeout_seconds or plan.answer_seconds),
            identity.account_id,
            whole=whole,
            call=call,
            identity=identity,
            payer=payer,
            model=model,
            claim=claim,
            meter=meter,
            recorders=stages.recorders,
            span=span,
        )
        metered.recheck = partial(self._recheck, metered)
        if claim.ceiling is not None:
            metered.more = self._hold_more
        if plan.archive is not None:
            metered.capture = stages.archive.begin(metered, plan.archive)
        laps.end(PREPARE)
        LET_IN.observe(laps.total)
        return metered

    async def _recheck(self, metered: MeteredCall) -> None:
        """Checks the key, the model, the balance and the reservation again: a long wait may have changed them."""
        stages, call = self._stages, metered.call
        identity = await stages.authenticate.caller(call.caller)
        payer = await stages.authenticate.payer(call.caller, identity)
        model = stages.authorise.model(call.account, call.model, identity)
        stages.authorise.payer(model, payer)
        await stages.admit.still(metered.claim, metered.model, metered.payer, metered.recorders.clock.now())

    async def _hold_more(self, metered: MeteredCall) -> None:
        """Reserves twice the cost so far while more parts may come, so that long streams rarely ask again."""
        cost, claim = metered.meter.cost, metered.claim
        wanted = cost if metered.recorded else metered.meter.within_ceiling(2 * cost.units)
        await self._stages.admit.hold_more(claim, metered.model, metered.payer, cost, wanted)

    async def _config(self, call: Call, plan: Plan) -> Payload | None:
        """Returns the caller's config, else the stored one it names, else the model's default, else an empty object.

        Raises ConfigNotFound, Unavailable.
        """
        if call.operation is not Operation.PREDICT or call.config is not None or call.http is not None:
            return call.config
        configs, model_id = self._stages.configs, plan.model.model_id
        if call.config_id is None:
            return configs.default(model_id) or _EMPTY_CONFIG
        found = await configs.find(model_id, call.config_id)
        if found is None:
            raise ConfigNotFound(config=str(call.config_id))
        return found

    async def _relay(self, metered: MeteredCall, send: Send, *, again: bool) -> AsyncGenerator[Answer]:
        """Yields the parts, the last one only after the call is recorded. WebSockets may be silent without limit."""
        deadline = metered.deadline
        between: AbstractContextManager[None] = nullcontext() if metered.call.is_socket else deadline
        sent: DeliveryAttempt | None = None
        try:
            with deadline:
                sent, answer = await self._begin(metered, send, again=again)
            own: Mapping[str, str] | None = None
            while answer is not None:
                metered.read(answer)
                if answer.last and not metered.free:
                    await metered.record()
                elif metered.more is not None and metered.lacks:
                    await metered.hold_more()
                own = metered.headers() if own is None else {}  # once, with the first part
                yield replace(answer, headers={**metered.cost_headers(), **headers.to_caller(answer.headers), **own})
                with between:
                    answer = await sent.next()
            metered.expect_recorded()
        except DomainError as error:
            metered.sign(error)
            raise
        except (GeneratorExit, asyncio.CancelledError):
            metered.record_part()
            raise
        finally:
            metered.close()
            if sent is not None:
                await sent.close()

    async def _begin(self, metered: MeteredCall, send: Send, *, again: bool) -> Begun:
        stages, repeats = self._stages, metered.plan.repeats
        delivery = Delivery(metered, send, stages.chooser, stages.breakers, metered.meter, again)
        if repeats is None or not again:
            return await deliver(delivery)
        return await Hedge(delivery, Tries(repeats, stages.budgets.of(metered.model.model_id))).begin()


@contextmanager
def _observed(call: Call) -> Generator[CallSpan]:
    """Counts the call in the metrics and opens its span."""
    span = CallSpan(call)
    ACTIVE_CALLS.inc()
    try:
        yield span
    except DomainError as error:
        if isinstance(error, InstanceError):
            INSTANCE_ERRORS.inc()
        else:
            REFUSALS.labels(error.code).inc()
        span.refused(error.code)
        raise
    finally:
        ACTIVE_CALLS.dec()
        span.end()


async def _finish(metered: MeteredCall, keep: Keep | None, answer: Answer) -> Answer:
    """Returns the answer with the caller's headers, after recording the call."""
    answer = replace(answer, headers={**headers.to_caller(answer.headers), **metered.headers()})
    await metered.record(partial(keep, answer) if keep else None)
    # Not kept with the answer: a repetition of the call costs nothing.
    return replace(answer, headers={**metered.cost_headers(), **answer.headers})


async def _sized(inputs: AsyncGenerator[Payload], metered: MeteredCall) -> AsyncGenerator[Payload]:
    """Yields the parts of a request. Raises PayloadTooLarge above the size that the caller's key may send."""
    rule = metered.identity.limits.size if metered.identity.limits else None
    seen = 0
    async with aclosing(inputs):
        async for part in inputs:
            if metered.call.http is not None:
                metered.deadline.resume()  # a large body may take longer than an answer
            if rule is not None:
                seen = check_part(rule, seen, part)
            yield part


def _sender(request: InstanceRequest) -> Send:
    return lambda link: link.send(request)
