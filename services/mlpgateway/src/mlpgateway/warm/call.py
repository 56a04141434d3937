"""One warm call, from its head to its answer."""

import asyncio
import contextvars
import time
from collections.abc import AsyncGenerator, Awaitable, Coroutine, Mapping
from functools import partial
from typing import Final

import structlog

from mlpgateway.call.call import Answer, Call, Caller, Operation
from mlpgateway.call.handler import begin_shape
from mlpgateway.call.span import CallSpan
from mlpgateway.call.transport import InstanceLink, ToldRequest
from mlpgateway.context.metered_call import ANSWERED, MeteredCall
from mlpgateway.delivery.deliver import FailedAttempt, judge_answer, judge_error
from mlpgateway.delivery.queue.slot import Slot, origin_of
from mlpgateway.entry.http.wire import UNWATCHED_SECONDS
from mlpgateway.metrics import (
    ACTIVE_CALLS,
    INSTANCE_SECONDS,
    LET_IN,
    RECORD,
)
from mlpgateway.pipeline.kept_parts import KeptParts, LastContent
from mlpgateway.pipeline.pipeline import count_refusal
from mlpgateway.shares.admission import Entry
from mlpgateway.shares.share import TakenShares
from mlpgateway.warm.environment import WarmParts
from mlpgateway.warm.forms import Form, Headers, RequestContent
from mlpgateway.warm.heads import PlainHead
from mlpgateway.warm.requests import Send
from mlpgateway.warm.verdicts import Verdict
from mlplace_kit.errors import DomainError
from mlplace_runtime.process.http.direct import Leave, Reply
from mlplace_runtime.telemetry import current
from mlplace_runtime.web.errors import from_unexpected
from mlplace_runtime.web.request_context import Sending, request_seconds, with_own_headers

log = structlog.get_logger(__name__)

_SERVICE: Final = "mlpgateway"
_METHOD: Final = "POST"
_ABANDONED: Final = 500
"""The status under which the request metrics count a request whose caller has left."""


class WarmCall:
    """Satisfies Prepared and Recorded. It ends once: answered, failed, or abandoned by its caller.

    All that it has taken is given back in `_give_back`.
    """

    __slots__ = (
        "_answer",
        "_around",
        "_body",
        "_call",
        "_entry",
        "_form",
        "_head",
        "_headers",
        "_judged",
        "_kept",
        "_latest",
        "_link",
        "_metered",
        "_recording",
        "_reply",
        "_sending",
        "_sent",
        "_started",
        "_taken_shares",
        "_task",
        "_timer",
        "_told",
        "_verdict",
    )  # fmt: skip

    def __init__(self, around: WarmParts, head: PlainHead, verdict: Verdict, form: Form) -> None:
        self._around = around
        self._head = head
        self._verdict = verdict
        self._form = form
        self._kept = KeptParts() if form.keeps_parts else LastContent() if form.whole else None
        self._latest: Answer | None = None
        self._started = time.perf_counter()
        self._taken_shares = TakenShares()
        self._entry: Entry | None = None
        self._link: InstanceLink | None = None
        self._metered: MeteredCall | None = None
        self._told: ToldRequest | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._judged = False
        self._sending: Sending | None = None
        self._sent = self._recording = 0.0

    # ---- Beginning

    def begin(self, body: bytes, reply: Reply) -> Leave | None:
        began = time.perf_counter()  # the head may have come long before
        asked = send = None
        try:
            asked = self._form.read(body)
            send = self._enter(asked, len(body))
        except DomainError:
            pass  # the ordinary way refuses the call, and counts that
        except Exception:
            log.exception("warm_call_not_begun")
        metered = self._metered
        if asked is None or send is None or metered is None:
            if self._link is not None:
                self._around.stages.breakers.not_sent(origin_of(self._link))
            self._give_back()
            return None
        self._reply = reply
        ACTIVE_CALLS.inc()
        LET_IN.observe(time.perf_counter() - began)
        self._begin(send, metered, asked.text)
        return self._left

    def _enter(self, asked: RequestContent, size: int) -> Send | None:
        """Takes what the call needs. Returns how to send it; None when it must go the ordinary way.

        Raises the errors of the stages.
        """
        around, head, standing = self._around, self._head, self._verdict.standing
        self._entry = around.admission.enter_at_once(standing.decided.identity.account_id, size)
        if self._entry is None:
            return None
        self._link = around.stages.chooser.at_once(standing.decided.plan)
        send = None if self._link is None else self._prepared(self._link, asked)
        if send is None:
            return None
        caller = Caller(head.key, credential_is_session=False, billing_key=None, client_ip=head.client_ip)
        call = Call(
            head.request_id,
            head.target.account,
            head.target.model,
            Operation.PREDICT,
            caller,
            asked.data,
            asked.config,
            http=asked.http,
            trace_parent=head.trace_parent,
            keep_parts=self._form.keeps_parts,
        )
        self._metered = around.pipeline.before.let_in_at_once(standing, call, CallSpan(call), self._taken_shares)
        return send

    def _prepared(self, link: InstanceLink, asked: RequestContent) -> Send | None:
        return self._verdict.prepared.to(origin_of(link), asked, self._streamed)

    def _begin(self, send: Send, metered: MeteredCall, text: bytes) -> None:
        link = metered.link = self._link
        metered.meter.instance_id = None if link is None else link.instance_id
        self._sent = time.perf_counter()
        self._timer = asyncio.get_running_loop().call_later(metered.plan.answer_seconds, self._late)
        self._told = send(
            text,
            request_id=self._head.request_id,
            trace_parent=metered.span.parent,
            answered=self._answered,
            failed=self._failed,
        )

    # ---- From the instance

    def _answered(self, answer: Answer) -> None:
        metered, link = self._metered, self._link
        if metered is None or link is None:
            return
        try:
            self._read(answer, metered, link)
        except DomainError as error:
            self._leave_instance()
            self._fail(metered, error)
        except Exception as error:  # noqa: BLE001  it must not end the stream of an instance, which serves others, too
            self._leave_instance()
            self._refuse(self._own_context().run(from_unexpected, error))

    def _read(self, answer: Answer, metered: MeteredCall, link: InstanceLink) -> None:
        if not self._judged:
            self._judged = True
            judge_answer(self._around.stages.breakers, link, answer, time.perf_counter() - self._sent, metered.plan)
        metered.read(answer)
        if self._kept is not None and self._latest is not None:
            self._kept.add(self._latest)
        self._latest = answer
        if answer.last:
            self._leave_instance()
            if self._form.whole:
                INSTANCE_SECONDS.observe(time.perf_counter() - self._sent)
            made = begin_shape(answer if self._kept is None else self._kept.with_last(answer), self._form.shape)
            if isinstance(made, Answer):
                self._has_shape(made, metered)
            else:
                self._run(self._take_shape(made, metered))

    async def _take_shape(self, made: Awaitable[Answer], metered: MeteredCall) -> None:
        try:
            answer = await made
        except DomainError as error:
            self._fail(metered, error)
        except Exception as error:  # noqa: BLE001  it is logged and answered like any other
            self._refuse(from_unexpected(error))
        else:
            self._has_shape(answer, metered)

    def _has_shape(self, answer: Answer, metered: MeteredCall) -> None:
        self._recording = time.perf_counter()
        self._answer, self._headers = answer, metered.headers_to_caller(answer)
        if metered.free:
            self._respond(answer, self._headers)
        else:
            self._around.writes.add(self)

    def _failed(self, error: DomainError) -> None:
        """Goes on like any other call whose first request failed, with a task. Passed-on ones are not sent again."""
        metered, link = self._metered, self._link
        if metered is None or link is None:
            return
        judge_error(self._around.stages.breakers, link, error)
        self._leave_instance()
        if self._form.whole:
            self._run(self._go_on(metered, FailedAttempt(origin_of(link), error, self._sent)))
        else:
            self._fail(metered, error)

    def _streamed(self, answers: AsyncGenerator[Answer]) -> None:
        """Goes on with an answer that comes in pieces, with a task."""
        metered, link = self._metered, self._link
        if metered is None or link is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        if isinstance(link, Slot):
            answers = link.seated(partial(_same, answers))
        self._run(self._relay(self._around.pipeline.relay(metered, link, answers, self._sent)))

    def _run(self, work: Coroutine[None, None, None]) -> None:
        self._task = asyncio.get_running_loop().create_task(work, context=self._own_context())
        self._around.going_on.add(self._task)
        self._task.add_done_callback(self._went_on)

    def _own_context(self) -> contextvars.Context:
        """An instance's answer is read in the context of whichever request opened the connection."""
        context = contextvars.Context()
        context.run(current.begin, current.ServedRequest(self._head.request_id, _SERVICE, self._head.trace_parent))
        return context

    def _late(self) -> None:
        metered, link = self._metered, self._link
        if metered is not None and link is not None:
            self._around.stages.breakers.failed(origin_of(link))
            self._leave_instance()
            self._fail(metered, metered.deadline.refusal())

    def _leave_instance(self) -> None:
        """Frees the slot, and drops what the instance may still answer."""
        if self._timer is not None:
            self._timer.cancel()
        if isinstance(self._link, Slot):
            self._link.release()
        if self._told is not None:
            self._told.abandon()

    async def _go_on(self, metered: MeteredCall, failed: FailedAttempt) -> None:
        try:
            answer = await self._around.pipeline.go_on(metered, failed, self._form.shape)
        except DomainError as error:
            count_refusal(error)
            self._refuse(error)
        except Exception as error:  # noqa: BLE001  it is logged and answered like any other
            self._refuse(from_unexpected(error))
        else:
            self._respond(answer, answer.headers)

    async def _relay(self, answers: AsyncGenerator[Answer]) -> None:
        sending = self._sending = Sending(self._reply.in_pieces(), self._head.request_id)
        try:
            await self._form.send(answers, sending)
        except Exception as raised:  # noqa: BLE001  it is logged and answered like any other
            error = raised if isinstance(raised, DomainError) else from_unexpected(raised)
            if isinstance(raised, DomainError):
                count_refusal(error)
            if sending.started:  # only closing the connection tells the caller
                self._reply.break_off()
                self._end(None)
                return
            given, body = self._form.refusal(error)
            await sending({"type": "http.response.start", "status": error.status, "headers": list(given)})
            await sending({"type": "http.response.body", "body": body})
        self._end(sending.status)

    def _went_on(self, task: asyncio.Task[None]) -> None:
        """Ends a call whose caller or gate leaves. Nothing of a task that is cancelled before its first step runs."""
        self._around.going_on.discard(task)
        if task.cancelled():
            self._reply.break_off()
            if self._told is not None:
                self._told.abandon()
            self._end(_ABANDONED if self._sending is None else self._sending.status)
        elif (error := task.exception()) is not None:
            self.fail_unexpectedly(error)

    def fail_unexpectedly(self, error: BaseException) -> None:
        """Ends a call that could not even be refused: only closing the connection tells the caller."""
        if self._metered is None:
            return
        self._own_context().run(log.error, "unexpected_error", exc_info=error)
        self._reply.break_off()
        self._end(None)

    # ---- From the spool

    def record(self) -> bytes:
        metered = self._metered
        if metered is None:
            raise AssertionError("only a call that was let in is recorded")
        return metered.begin_record()

    def written(self, error: DomainError | None) -> None:
        metered = self._metered
        if metered is None:
            return
        metered.end_record(written=error is None)
        if error is not None:
            self._fail(metered, error)
            return
        RECORD.observe(time.perf_counter() - self._recording)
        ANSWERED[Operation.PREDICT].inc()
        self._respond(self._answer, {**metered.cost_headers(), **self._headers})

    # ---- From the caller

    def _left(self) -> None:
        """The caller has disconnected. Like other callers, it may still be charged for an answer that comes at once."""
        unwatched = UNWATCHED_SECONDS - (time.perf_counter() - self._started)
        if unwatched > 0:
            asyncio.get_running_loop().call_later(unwatched, self._abandon)
        else:
            self._abandon()

    def _abandon(self) -> None:
        if self._task is not None:
            self._task.cancel()
        elif self._metered is not None and not self._recording:
            self._leave_instance()
            self._end(_ABANDONED)

    # ---- The end

    def _fail(self, metered: MeteredCall, error: DomainError) -> None:
        metered.sign(error)
        count_refusal(error)
        self._refuse(error)

    def _refuse(self, error: DomainError) -> None:
        given, body = self._form.refusal(error)
        self._answer_caller(error.status, given, body)

    def _respond(self, answer: Answer, headers: Mapping[str, str]) -> None:
        try:
            status, given, body = self._form.shown(answer, headers)
        except Exception as error:  # noqa: BLE001  it is charged, but this program cannot show it
            self._refuse(self._own_context().run(from_unexpected, error))
            return
        self._answer_caller(status, given, body)

    def _answer_caller(self, status: int, given: Headers, body: bytes | memoryview) -> None:
        given = [*given, *self._form.headers()]
        lines = b"".join([b"%b: %b\r\n" % line for line in with_own_headers(given, self._head.request_id)])
        self._reply.answer(status, lines, body, proved=status < 400 and self._form.proves)
        self._end(status)

    def _end(self, status: int | None) -> None:
        """`status` None: the answer was broken off."""
        self._give_back()
        ACTIVE_CALLS.dec()
        if status is not None:
            request_seconds(_SERVICE, _METHOD, status).observe(time.perf_counter() - self._started)

    def _give_back(self) -> None:
        metered, self._metered = self._metered, None
        if metered is not None:
            metered.close()
        if isinstance(self._link, Slot):
            self._link.release()
        self._taken_shares.give_back()
        entry, self._entry = self._entry, None
        if entry is not None:
            self._around.admission.end(entry)


def _same(answers: AsyncGenerator[Answer]) -> AsyncGenerator[Answer]:
    return answers
