"""Batching, for models that answer several requests at once: joins calls to one message before they are delivered.

A batch leaves when it is full, or when its first call has waited for the model's `wait_seconds`. While no instance has
a free slot, it keeps gathering calls. Only calls with the same config share a batch. Some calls go alone: calls that
another account pays for, streamed calls, calls with bytes or large requests, retries, calls that nobody joined, and
calls whose queue is at another gate.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final, cast

import structlog

from mlpgateway.call.call import Answer, Operation
from mlpgateway.call.context import CallContext, size_of
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.plan import LONGEST_SECONDS, Batches, Plan
from mlpgateway.call.transport import BatchLink, InstanceError, InstanceLink, InstanceLinks, InstanceRequest
from mlpgateway.delivery.choose import Chooser
from mlpgateway.delivery.queue.slot import Slot, origin_of
from mlpgateway.metrics import BATCH_SIZE, WAIT_SECONDS
from mlplace_gateproto import headers as names
from mlplace_gateproto.codes import METHOD_NOT_SUPPORTED
from mlplace_kit.errors import DomainError

_MOST_BYTES: Final = 32 * 1024 * 1024

log = structlog.get_logger(__name__)

Key = tuple[int, str | None, str | None, str | None]


@dataclass(slots=True, eq=False)
class _Member:
    """`answers` is set when the batch leaves. The result is None when the call has to go alone."""

    context: CallContext
    request: InstanceRequest
    answers: asyncio.Future[AsyncGenerator[Answer] | None]
    link: InstanceLink | None = None


@dataclass(slots=True, eq=False)
class _Gathering:
    key: Key
    rule: Batches
    members: list[_Member] = field(default_factory=list[_Member])
    size: int = 0
    timer: asyncio.TimerHandle | None = None
    waits: "asyncio.Task[None] | None" = None

    @property
    def full(self) -> bool:
        return len(self.members) >= self.rule.size or self.size >= _MOST_BYTES


class Batching:
    """Satisfies Chooser and wraps the one that knows the instances. Calls of models without batches pass through."""

    def __init__(self, chooser: Chooser, links: InstanceLinks) -> None:
        self._chooser = chooser
        self._links = links
        self._gathering: dict[Key, _Gathering] = {}

    async def choose(self, context: CallContext, *, but: Collection[InstanceLink] = ()) -> InstanceLink:
        rule = context.plan.batches
        if rule is not None and not but and self._may_share(context, rule):
            return BatchedCall(self, context)
        return await self._chooser.choose(context, but=but)

    def at_once(self, plan: Plan, *, but: Collection[InstanceLink] = ()) -> InstanceLink | None:
        """None for a model with batches: its calls may wait for each other."""
        return self._chooser.at_once(plan, but=but) if plan.batches is None else None

    def queues_here(self, context: CallContext) -> bool:
        return self._chooser.queues_here(context)

    def spare(self, context: CallContext, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        return self._chooser.spare(context, but=but)

    def _may_share(self, context: CallContext, rule: Batches) -> bool:
        request = context.request
        if not context.whole or request.operation is not Operation.PREDICT or names.BILLING_KEY in request.headers:
            return False
        if request.data is None or request.data.json is None:
            return False
        if rule.longest_bytes is not None and size_of(request.data) > rule.longest_bytes:
            return False
        if not self._chooser.queues_here(context):
            return False
        return any(
            link.accepts_requests and takes_batches(link) for link in self._links.of_model(context.plan.model.model_id)
        )

    # ---- Gathering

    async def answers(self, call: "BatchedCall", request: InstanceRequest) -> AsyncGenerator[Answer]:
        """Yields the answers to one call, from its batch or from an instance that got the call alone."""
        context, loop = call.context, asyncio.get_running_loop()
        since = loop.time()
        member = _Member(context, request, loop.create_future())
        context.deadline.phase = "batch"
        self._join(member)
        try:
            answers = await member.answers
        except BaseException:
            await self._leave(member)
            raise
        finally:
            waited = loop.time() - since
            WAIT_SECONDS.labels("batch").observe(waited)
            context.waited_seconds += waited
            context.waited_for = context.waited_for or "batch"
        context.deadline.phase = "answer"
        if answers is not None and member.link is not None:
            call.origin = member.link
            try:
                async with aclosing(answers):
                    async for answer in answers:
                        yield answer
            except InstanceError as error:
                if error.code != METHOD_NOT_SUPPORTED:
                    raise
                cast("BatchLink", origin_of(member.link)).refuse_batches()
            else:
                return
        call.origin = await self._chooser.choose(context)
        async with aclosing(call.origin.send(request)) as answers:
            async for answer in answers:
                yield answer

    def _join(self, member: _Member) -> None:
        rule = member.context.plan.batches
        if rule is None:
            raise AssertionError("only calls of models with batches gather")
        key = _key(member)
        gathering = self._gathering.get(key)
        if gathering is None:
            gathering = self._gathering[key] = _Gathering(key, rule)
            loop = asyncio.get_running_loop()
            gathering.timer = loop.call_later(rule.wait_seconds, self._leave_or_wait, gathering)
        gathering.members.append(member)
        gathering.size += size_of(member.request.data)
        if gathering.full:
            self._close(gathering)
            self._leave_or_wait(gathering)

    async def _leave(self, member: _Member) -> None:
        """Removes a cancelled call from its batch, and closes the answers if the batch has just left."""
        answers = member.answers
        if answers.done() and not answers.cancelled() and (given := answers.result()) is not None:
            await given.aclose()
        gathering = self._gathering.get(_key(member))
        if gathering is not None and member in gathering.members:
            gathering.members.remove(member)
            gathering.size -= size_of(member.request.data)

    def _close(self, gathering: _Gathering) -> None:
        """Lets no further call join."""
        if self._gathering.get(gathering.key) is gathering:
            del self._gathering[gathering.key]

    def _leave_or_wait(self, gathering: _Gathering) -> None:
        """Runs when the batch's time is over or when it is full."""
        if gathering.timer is not None:
            gathering.timer.cancel()
            gathering.timer = None
        if gathering.waits is not None:
            return
        members = _staying(gathering)
        if len(members) < 2:
            self._close(gathering)
            _each_alone(members)
            return
        try:
            link = self._chooser.spare(members[0].context, but=())
            if link is None:
                gathering.waits = asyncio.create_task(self._send_in_turn(gathering))
            else:
                self._close(gathering)
                _send(members, link)
        except Exception:
            log.exception("batch_not_sent", model_id=gathering.key[0])
            self._give_up(gathering)

    def _give_up(self, gathering: _Gathering) -> None:
        """Lets no further call join, and each call without an answer go alone."""
        self._close(gathering)
        _each_alone(_staying(gathering))

    async def _send_in_turn(self, gathering: _Gathering) -> None:
        """Queues the batch for a slot, with the highest priority of its calls: all slots are taken."""
        members = _staying(gathering)
        if not members:  # all have left since this task was made
            self._close(gathering)
            return
        first = max(members, key=lambda member: member.context.priority).context
        context = CallContext(first.plan, first.request, Deadline(LONGEST_SECONDS), first.caller_account_id)
        waiting = asyncio.ensure_future(self._chooser.choose(context))
        try:
            while not waiting.done() and (staying := _staying(gathering)):
                ends = [member.answers for member in staying]
                await asyncio.wait([waiting, *ends], return_when=asyncio.FIRST_COMPLETED)
            self._close(gathering)
            if waiting.done() and not waiting.cancelled():
                _send_or_release(_staying(gathering), waiting.result())
        except DomainError:
            pass  # each of the calls finds out by itself
        except Exception:
            log.exception("batch_not_sent", model_id=gathering.key[0])
        finally:
            self._give_up(gathering)
            if not waiting.done():
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)


class BatchedCall:
    """Satisfies InstanceLink for one call. `origin` is the instance that answers, None until it is chosen."""

    __slots__ = (
        "_batching",
        "context",
        "origin",
    )

    active_requests = 0
    accepts_requests = True

    def __init__(self, batching: Batching, context: CallContext) -> None:
        self._batching = batching
        self.context = context
        self.origin: InstanceLink | None = None

    @property
    def instance_id(self) -> int | None:
        return None if self.origin is None else self.origin.instance_id

    @property
    def model_id(self) -> int:
        return self.context.plan.model.model_id

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        return self._batching.answers(self, request)


def takes_batches(link: InstanceLink) -> bool:
    return getattr(origin_of(link), "takes_batches", False)


def _key(member: _Member) -> Key:
    config, headers = member.request.config, member.request.headers
    text = None if config is None else config.json
    return (
        member.context.plan.model.model_id,
        text,
        headers.get(names.CALL_CHAIN),
        headers.get(names.CONTENT_HIDDEN),
    )


def _staying(gathering: _Gathering) -> list[_Member]:
    return [member for member in gathering.members if not member.answers.done()]


def _each_alone(members: Collection[_Member]) -> None:
    for member in members:
        member.answers.set_result(None)


def _send_or_release(members: list[_Member], link: InstanceLink) -> None:
    if len(members) > 1:
        _send(members, link)
        return
    if isinstance(link, Slot):
        link.release()
    _each_alone(members)


def _send(members: list[_Member], link: InstanceLink) -> None:
    if not takes_batches(link):
        if isinstance(link, Slot):
            link.release()
        _each_alone(members)
        return
    BATCH_SIZE.observe(len(members))
    answers = cast("BatchLink", link).send_batch([member.request for member in members])
    for member, own in zip(members, answers, strict=True):
        member.link = link
        member.answers.set_result(own)
