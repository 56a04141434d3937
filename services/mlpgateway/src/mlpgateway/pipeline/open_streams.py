"""Ends streams and WebSockets whose caller may no longer call: they outlive the decision with which they began."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Final, Protocol

import structlog

from mlpgateway.call.call import Caller
from mlpgateway.context.metered_call import MeteredCall
from mlpgateway.policy.access.confirmation import CHECK_SECONDS, LOOK_SECONDS, Confirmation
from mlplace_kit.errors import DomainError, Unavailable

log = structlog.get_logger(__name__)

_QUESTIONS_AT_ONCE: Final = 16
_IN_ONE_TURN: Final = 100

_Group = tuple[Caller, str, str, bool]
"""Calls with the same credentials of the same path, passed on as HTTP or not: one decision holds for all of them."""


class JudgesOpenCalls(Protocol):
    """Each of the checks raises the refusal of a call that would not be let in now."""

    def asks_others(self, caller: Caller) -> bool:
        """Returns whether `still_let_in` may wait for another service."""
        ...

    def let_in_as_known(self, metered: MeteredCall) -> None:
        """Checks what this gate knows itself."""

    async def still_let_in(self, metered: MeteredCall) -> None:
        """Checks everything. Raises Unavailable when another service does not answer."""


class _Open:
    """The open calls of a group."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.calls: dict[int, MeteredCall] = {}
        self.confirmation = Confirmation(now)


class OpenStreams:
    """Run `run` as a task. A stream ends within look_seconds and check_seconds after this gate knows of the change.

    What another service decides and does not say in time is asked again at the next look. Until then the stream goes
    on, up to UNCONFIRMED_SECONDS after the last confirmation; then it ends with Unavailable. A gate cannot tell a
    service that fails from a right that has ended: neither ends all streams at once, nor keeps one for ever.
    """

    def __init__(
        self,
        judge: JudgesOpenCalls,
        *,
        look_seconds: float = LOOK_SECONDS,
        check_seconds: float = CHECK_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._judge = judge
        self._look_seconds = look_seconds
        self._check_seconds = check_seconds
        self._now = now
        self._open: dict[_Group, _Open] = {}
        self._open_questions: dict[_Group, None] = {}
        self._asked = asyncio.Event()

    def add(self, metered: MeteredCall) -> None:
        """The stream of this call begins. Call `remove` at its end, in every case."""
        group = _group_of(metered)
        members = self._open.get(group)
        if members is None:
            members = self._open[group] = _Open(self._now)
        members.confirmation.renew()
        members.calls[id(metered)] = metered

    def remove(self, metered: MeteredCall) -> None:
        group = _group_of(metered)
        calls = self._open[group].calls
        del calls[id(metered)]
        if not calls:
            del self._open[group]

    async def run(self) -> None:
        """Looks at them every second."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._look_again())
            group.create_task(self._ask_when_left())

    async def _look_again(self) -> None:
        while True:
            began = self._now()
            await self.look()
            await asyncio.sleep(max(0.0, began + self._look_seconds - self._now()))

    async def _ask_when_left(self) -> None:
        """Asks at once: with a wait of its own, a stream could outlive its caller's right by more than is promised."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            await self.ask()

    async def look(self) -> None:
        """Ends the streams that the gate knows not to be let in now. Leaves to `ask` what another service decides."""
        for place, group in enumerate(list(self._open)):
            if place % _IN_ONE_TURN == _IN_ONE_TURN - 1:
                await asyncio.sleep(0)
            try:
                await self._look_at(group)
            except Exception:
                log.exception("open_stream_not_checked")
        if self._open_questions:
            self._asked.set()

    async def _look_at(self, group: _Group) -> None:
        if self._judge.asks_others(group[0]):
            self._end_known(group)
            self._open_questions[group] = None
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(self._check_seconds):
                await self._decide(group)

    async def ask(self) -> None:
        """Ends the streams that would not be let in now, as far as `look` has left them.

        Takes check_seconds at most. The questions for which that is too short come first at the next look.
        """
        groups = iter(list(self._open_questions))
        self._open_questions.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._check_seconds), asyncio.TaskGroup() as asking:
                for _ in range(_QUESTIONS_AT_ONCE):
                    asking.create_task(self._decide_each(groups))
        not_asked = dict.fromkeys(groups)
        for group in not_asked:
            self._end_unconfirmed(group)
        self._open_questions = not_asked | self._open_questions

    async def _decide_each(self, groups: Iterator[_Group]) -> None:
        """Takes groups until none is left; several tasks share them."""
        for group in groups:
            await self._decide(group)

    async def _decide(self, group: _Group) -> None:
        is_decided = False
        try:
            await self._end_refused(group)
            is_decided = True
        except Unavailable:
            pass
        except Exception:
            log.exception("open_stream_not_checked")
        finally:  # also when the question is cancelled because the time is over
            if not is_decided:
                self._end_unconfirmed(group)

    async def _end_refused(self, group: _Group) -> None:
        """Raises Unavailable when nobody knows."""
        members = self._open.get(group)
        if members is None:
            return
        for metered in list(members.calls.values()):
            refusal = await _refusal(self._judge.still_let_in(metered))
            if refusal is None:
                members.confirmation.renew()
                return
            metered.deadline.stop(refusal)

    def _end_known(self, group: _Group) -> None:
        members = self._open.get(group)
        for metered in [] if members is None else list(members.calls.values()):
            try:
                self._judge.let_in_as_known(metered)
            except DomainError as refusal:
                metered.deadline.stop(refusal)
            else:
                return

    def _end_unconfirmed(self, group: _Group) -> None:
        members = self._open.get(group)
        if members is not None and members.confirmation.is_old:
            for metered in list(members.calls.values()):
                metered.deadline.stop(Unavailable())


async def _refusal(check: Awaitable[None]) -> DomainError | None:
    """Raises Unavailable."""
    try:
        await check
    except Unavailable:
        raise
    except DomainError as error:
        return error
    return None


def _group_of(metered: MeteredCall) -> _Group:
    call = metered.call
    return call.caller, call.account, call.model, call.http is not None
