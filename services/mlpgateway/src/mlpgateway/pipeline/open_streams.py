"""Ends streams and WebSockets whose caller may no longer call: they outlive the decision with which they began."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from mlpgateway.call.call import Caller
from mlpgateway.context.metered_call import MeteredCall
from mlplace_kit.errors import DomainError, Unavailable

log = structlog.get_logger(__name__)

_SECONDS: Final = 1.0
_AT_ONCE: Final = 100

_Group = tuple[Caller, str, str]
"""Calls with the same credentials of the same path: one decision holds for all of them."""


class OpenStreams:
    """Run `run` as a task."""

    def __init__(self, check: Callable[[MeteredCall], Awaitable[None]]) -> None:
        """`check` raises the refusal of a call that would not be let in now."""
        self._check = check
        self._open: dict[_Group, dict[int, MeteredCall]] = {}

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
        while True:
            await asyncio.sleep(_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Ends the streams that would not be let in now. A check that is impossible at the moment ends none."""
        for place, group in enumerate(list(self._open)):
            if place % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)
            for metered in list(self._open.get(group, {}).values()):
                refusal = await self._refusal(metered)
                if refusal is None:
                    break
                metered.deadline.stop(refusal)

    async def _refusal(self, metered: MeteredCall) -> DomainError | None:
        try:
            await self._check(metered)
        except Unavailable:
            return None
        except DomainError as error:
            return error
        except Exception:
            log.exception("open_stream_not_checked")
        return None


def _group_of(metered: MeteredCall) -> _Group:
    return metered.call.caller, metered.call.account, metered.call.model
