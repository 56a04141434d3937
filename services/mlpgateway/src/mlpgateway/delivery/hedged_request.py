"""Fifth stage for models with retries: sends further requests at set times and after errors. One answer counts.

Once a part of an answer is there, nothing is sent again. The request that is answered first wins, the others are
dropped, and the call is recorded once, like any other.
"""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from mlpgateway.call.call import Answer
from mlpgateway.call.transport import InstanceLink, NotTakenError
from mlpgateway.delivery.deliver import Delivery, DeliveryAttempt, FailedAttempt, StartedAnswer, note_refusal
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.delivery.retry_budget import Tries, is_loss, is_worth_another
from mlpgateway.errors.calls import NoActiveInstances
from mlpgateway.metrics import REPEATS, RETRIES
from mlplace_kit.errors import DomainError


@dataclass(slots=True, eq=False)
class _Request:
    """A request in progress. `first` returns its first answer, or None when it ends without any.

    `first` itself is None for the only request of a call without hedging: the call waits for the answer without a task.
    """

    sent: DeliveryAttempt
    first: asyncio.Task[Answer | None] | None


class Hedge:
    """Hedging and retries of one call."""

    def __init__(self, delivery: Delivery, tries: Tries) -> None:
        self._delivery = delivery
        self._tries = tries
        self._running: list[_Request] = []
        self._not_taken: list[InstanceLink] = []
        self._failure: DomainError | None = None
        self._offsets: Sequence[float] = tries.repeats.offsets
        self._began = 0.0

    async def begin(self, failed: FailedAttempt | None = None) -> StartedAnswer:
        """Returns the request that was answered first. All others are dropped.

        `failed` is a request that was sent before, if there was one; the call is in the budget then.
        """
        try:
            if failed is None:
                self._tries.budget.called()
                self._start(await self._delivery.chooser.choose(self._delivery.context))
            else:
                self._tries.sent.append(failed.link)
                await self._after_error(failed.error)
            self._began = asyncio.get_running_loop().time()
            winner, first = await self._race()
            await self._drop([request for request in self._running if request is not winner])
        except BaseException:
            await self._drop(self._running)
            raise
        meter, context = self._delivery.meter, self._delivery.context
        meter.instance_id, context.link = winner.sent.link.instance_id, winner.sent.link
        return winner.sent, first

    def _start(self, link: InstanceLink) -> None:
        self._tries.sent.append(link)
        sent = DeliveryAttempt(self._delivery, link)
        alone = not self._running and not self._offsets
        self._running.append(_Request(sent, None if alone else asyncio.create_task(sent.next())))

    async def _race(self) -> tuple[_Request, Answer | None]:
        """Returns the first request that is answered. Raises the first failure when no request is left."""
        while True:
            only = self._running[0]
            if only.first is None:
                try:
                    return only, await only.sent.next()
                except Exception as error:  # noqa: BLE001  `_after` raises it unless another request may help
                    await self._after(only, error)
            else:
                under_way = {request.first: request for request in self._running if request.first}
                for first in await self._ended(under_way):
                    error = first.exception()
                    if error is None:
                        return under_way[first], first.result()
                    await self._after(under_way[first], error)

    async def _ended(self, firsts: Collection[asyncio.Task[Answer | None]]) -> list[asyncio.Task[Answer | None]]:
        """Returns the requests that have ended, oldest first; an empty list when the next request is due."""
        done, _ = await asyncio.wait(firsts, timeout=self._until_next(), return_when=asyncio.FIRST_COMPLETED)
        if not done:
            self._hedge()
        return [first for first in firsts if first in done]

    def _until_next(self) -> float | None:
        if not self._offsets:
            return None
        return max(0.0, self._began + self._offsets[0] - asyncio.get_running_loop().time())

    def _hedge(self) -> None:
        """Sends another request if an instance is free: no answer has come so far."""
        self._offsets = self._offsets[1:]
        self._send_spare("hedge")

    async def _after(self, request: _Request, error: BaseException) -> None:
        """Replaces a failed request. Raises the error when it is the instance's answer to this request."""
        self._running.remove(request)
        await request.sent.close()
        if isinstance(error, NotTakenError):
            self._not_taken.append(note_refusal(self._delivery.context, request.sent.link))
            await self._replace()
            return
        await self._after_error(error)

    async def _after_error(self, error: BaseException) -> None:
        """Replaces a request that failed with the error. Raises the error when it answers this request."""
        if not isinstance(error, DomainError) or not is_worth_another(error):
            raise error
        self._failure = self._failure or error
        self._delivery.context.may_wait_for_start = False
        after_loss = is_loss(error) and not self._tries.lost
        if self._running:
            self._send_spare("error", after_loss=after_loss)
        elif after_loss or self._tries.may():
            try:
                link = await self._choose()
            except BaseException:
                if not after_loss:
                    self._tries.give_back()
                raise
            self._count("error", after_loss=after_loss)
            self._start(link)
        else:
            raise self._failure

    def _send_spare(self, why: str, *, after_loss: bool = False) -> None:
        """Sends another request if an instance is free and the budget allows it; a retry after a loss needs none."""
        link = self._spare()
        if link is None:
            return
        if after_loss or self._tries.may():
            self._count(why, after_loss=after_loss)
            self._start(link)
        elif isinstance(link, Slot):
            link.release()

    def _count(self, why: str, *, after_loss: bool) -> None:
        if after_loss:
            self._tries.lost = True
            RETRIES.inc()
        else:
            REPEATS.labels(why).inc()

    async def _replace(self) -> None:
        """Sends a new request for one that was not taken, if an instance is there."""
        link = self._spare() if self._running else await self._choose()
        if link is not None:
            self._start(link)

    def _spare(self) -> InstanceLink | None:
        return self._delivery.chooser.spare(self._delivery.context, but=self._unwanted())

    async def _choose(self) -> InstanceLink:
        """Waits for an instance: no other request is running. Raises the first failure if none comes."""
        try:
            return await self._delivery.chooser.choose(self._delivery.context, but=self._unwanted())
        except NoActiveInstances as error:
            raise self._failure or error from None

    def _unwanted(self) -> list[InstanceLink]:
        return [*self._not_taken, *self._tries.used_up()]

    async def _drop(self, requests: Sequence[_Request]) -> None:
        """Cancels and closes the requests, all of them even if the call is cancelled meanwhile."""
        self._running = [request for request in self._running if request not in requests]
        firsts = [request.first for request in requests if request.first is not None]
        for first in firsts:
            first.cancel()
        async with AsyncExitStack() as closing:
            for request in requests:
                closing.push_async_callback(request.sent.close)
            await asyncio.gather(*firsts, return_exceptions=True)
