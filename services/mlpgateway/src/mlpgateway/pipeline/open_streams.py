"""Ends streams and WebSockets whose caller may no longer call: they outlive the decision with which they began."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

import structlog

from mlpgateway.call.call import Caller
from mlpgateway.context.metered_call import MeteredCall
from mlplace_kit.errors import DomainError, Unavailable

log = structlog.get_logger(__name__)

_SECONDS: Final = 1.0
"""Between two looks at the same stream."""
_CHECK_SECONDS: Final = 2.0
_QUESTIONS_AT_ONCE: Final = 16
_IN_ONE_TURN: Final = 100

_Group = tuple[Caller, str, str, bool]
"""Calls with the same credentials of the same path, passed on as HTTP or not: one decision holds for all of them."""


class OpenStreams:
    """Run `run` as a task."""

    def __init__(
        self,
        check: Callable[[MeteredCall], Awaitable[None]],
        asks_others: Callable[[Caller], bool],
        *,
        look_seconds: float = _SECONDS,
        check_seconds: float = _CHECK_SECONDS,
    ) -> None:
        """`check` raises the refusal of a call that would not be let in now. After `check_seconds` it is cancelled.
        `asks_others`: whether it may wait for another service.

        A check that is cancelled or fails otherwise ends no stream: the next look repeats it.
        """
        self._check = check
        self._asks_others = asks_others
        self._look_seconds = look_seconds
        self._check_seconds = check_seconds
        self._open: dict[_Group, dict[int, MeteredCall]] = {}
        self._open_questions: dict[_Group, None] = {}
        self._asked = asyncio.Event()

    def add(self, metered: MeteredCall) -> None:
        """The stream of this call begins. Call `remove` at its end, in every case."""
        self._open.setdefault(_group_of(metered), {})[id(metered)] = metered

    def remove(self, metered: MeteredCall) -> None:
        group = _group_of(metered)
        members = self._open[group]
        del members[id(metered)]
        if not members:
            del self._open[group]

    async def run(self) -> None:
        """Looks at them every second."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._look_again())
            group.create_task(self._ask_when_left())

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(self._look_seconds)
            await self.look()

    async def _ask_when_left(self) -> None:
        """Asks at once: with a wait of its own, a stream could outlive its caller's right by more than two seconds."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            await self.ask()

    async def look(self) -> None:
        """Ends the streams that the gate knows not to be let in now. Leaves to `ask` what another service decides."""
        await self._look_at(iter(list(self._open)), leave_questions=True)
        if self._open_questions:
            self._asked.set()

    async def ask(self) -> None:
        """Ends the streams that would not be let in now, as far as `look` has left them."""
        groups = iter(list(self._open_questions))
        self._open_questions.clear()
        async with asyncio.TaskGroup() as asking:
            for _ in range(_QUESTIONS_AT_ONCE):
                asking.create_task(self._look_at(groups))

    async def _look_at(self, groups: Iterator[_Group], *, leave_questions: bool = False) -> None:
        """Takes groups until none is left; several tasks may share them."""
        for place, group in enumerate(groups):
            if place % _IN_ONE_TURN == _IN_ONE_TURN - 1:
                await asyncio.sleep(0)
            try:
                if leave_questions and self._asks_others(group[0]):
                    self._open_questions[group] = None
                else:
                    await self._end_refused(group)
            except Exception:
                log.exception("open_stream_not_checked")

    async def _end_refused(self, group: _Group) -> None:
        for metered in list(self._open.get(group, {}).values()):
            refusal = await self._refusal(metered)
            if refusal is None:
                break
            metered.deadline.stop(refusal)

    async def _refusal(self, metered: MeteredCall) -> DomainError | None:
        try:
            async with asyncio.timeout(self._check_seconds):
                await self._check(metered)
        except (Unavailable, TimeoutError):
            return None
        except DomainError as error:
            return error
        return None


def _group_of(metered: MeteredCall) -> _Group:
    call = metered.call
    return call.caller, call.account, call.model, call.http is not None
