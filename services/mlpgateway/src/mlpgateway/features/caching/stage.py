"""Caching, after admission, for models with a cache: a call with a known answer gets it and reaches no instance.

Among equal calls in progress at this gate, the first one asks the instance, and the others get its answer. If the first
one fails, each of the others asks by itself, so that no call fails because of another. A call whose payer bounds its
price gets what others have asked for, but nobody gets its answer: the instance is told the bound, and may have done
less work. A call that gets a cached answer is recorded and charged as a call, without the units that the instance
reported.
"""

import asyncio
from collections.abc import Awaitable, Callable

from mlpgateway.call.call import Answer
from mlpgateway.context.metered_call import MeteredCall
from mlpgateway.features.caching.metrics import CACHE_FOLLOWING, CACHE_LOOKS
from mlpgateway.features.caching.records import kept, key_of
from mlpgateway.features.caching.store import CacheStore
from mlpgateway.features.caching.stores import CacheStores
from mlplace_contracts.events import ModelCaching

Ask = Callable[[], Awaitable[Answer]]
"""Returns the instance's answer."""
Finish = Callable[[Answer], Awaitable[Answer]]
"""Records the call, and returns the answer as the caller gets it."""


class _Left:
    """The first of equal calls was cancelled: another one takes its place."""


_Flight = asyncio.Future[Answer | _Left | None]
"""The shared answer; None when there is none that others may get."""


class Caching:
    def __init__(self, stores: CacheStores) -> None:
        self._stores = stores
        self._flights: dict[str, _Flight] = {}

    async def answer(self, metered: MeteredCall, rule: ModelCaching, ask: Ask, finish: Finish) -> Answer:
        """Returns the answer. Raises the errors of `ask` and `finish`."""
        key = key_of(metered.call, metered.request, metered.model)
        if key is None:
            return await finish(await ask())
        while (flight := self._flights.get(key)) is not None:
            with CACHE_FOLLOWING.track_inprogress():
                await asyncio.wait([flight], timeout=metered.call.timeout_seconds or metered.plan.answer_seconds)
            found = flight.result() if flight.done() else None
            if isinstance(found, _Left):
                continue
            if found is None:
                return await finish(_missed(await ask(), metered))
            CACHE_LOOKS.labels("followed").inc()
            return await finish(_again(found, metered))
        store = self._stores.of(metered.model, rule)
        if not metered.is_bounded_by_payer:
            return await self._lead(key, metered, ask, finish, store)
        shared = await _look_up(store, key)
        return await finish(_missed(await ask(), metered) if shared is None else _again(shared, metered))

    async def _lead(self, key: str, metered: MeteredCall, ask: Ask, finish: Finish, store: CacheStore) -> Answer:
        flight: _Flight = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        shared: Answer | _Left | None = None
        try:
            shared = await _look_up(store, key)
            if shared is not None:
                return await finish(_again(shared, metered))
            answer = await ask()
            finished = await finish(_missed(answer, metered))
            shared = kept(answer)
            if shared is not None:
                store.put(key, shared)
        except (asyncio.CancelledError, GeneratorExit):
            shared = shared or _Left()
            raise
        else:
            return finished
        finally:
            del self._flights[key]
            flight.set_result(shared)


async def _look_up(store: CacheStore, key: str) -> Answer | None:
    found = await store.find(key)
    CACHE_LOOKS.labels("hit" if found else "miss" if store.ready else "unavailable").inc()
    return found


def _again(answer: Answer, metered: MeteredCall) -> Answer:
    metered.meter.cached = True
    metered.cache = "hit"
    metered.read(answer)
    return answer


def _missed(answer: Answer, metered: MeteredCall) -> Answer:
    metered.cache = "miss"
    return answer
