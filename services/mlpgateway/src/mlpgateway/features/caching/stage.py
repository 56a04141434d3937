"""After admission, for services with a cache: a call whose answer is known gets it, and reaches no instance.

Of equal calls that are under way at this gate at the same time, the first one asks, and the others have its answer. One
that is let down by the first asks by itself: nobody fails for somebody else. A call that has another one's answer is
recorded and charged as a call, without the units that the instance told.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec.structs import replace

from mlpgateway.call.call import Answer
from mlpgateway.context.metered_call import MeteredCall
from mlpgateway.features.caching.metrics import CACHE_FOLLOWING, CACHE_LOOKS
from mlpgateway.features.caching.records import kept, key_of
from mlpgateway.features.caching.store import CacheStore
from mlpgateway.features.caching.stores import CacheStores
from mlplace_contracts.events import ModelCaching
from mlplace_gateproto import headers as names

Ask = Callable[[], Awaitable[Answer]]
"""What the instance answers."""
Finish = Callable[[Answer], Awaitable[Answer]]
"""The answer as the caller gets it, once it is recorded."""
_HIT: Final = {names.CACHE: "hit"}
_MISS: Final = {names.CACHE: "miss"}


class _Left:
    """The first of equal calls went away: another one takes its place."""


_Flight = asyncio.Future[Answer | _Left | None]
"""None: no answer that others could have."""


class Caching:
    def __init__(self, stores: CacheStores) -> None:
        self._stores = stores
        self._flights: dict[str, _Flight] = {}

    async def answer(self, metered: MeteredCall, rule: ModelCaching, ask: Ask, finish: Finish) -> Answer:
        """Raises what `ask` and `finish` raise."""
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
                return await finish(_with(await ask(), _MISS))
            CACHE_LOOKS.labels("followed").inc()
            return await finish(_again(found, metered))
        return await self._lead(key, metered, ask, finish, self._stores.of(metered.model, rule))

    async def _lead(self, key: str, metered: MeteredCall, ask: Ask, finish: Finish, store: CacheStore) -> Answer:
        flight: _Flight = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        shared: Answer | _Left | None = None
        try:
            shared = await store.find(key)
            CACHE_LOOKS.labels("hit" if shared else "miss" if store.ready else "unavailable").inc()
            if shared is not None:
                return await finish(_again(shared, metered))
            answer = await ask()
            finished = await finish(_with(answer, _MISS))
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


def _again(answer: Answer, metered: MeteredCall) -> Answer:
    metered.meter.cached = True
    metered.read(answer)
    return _with(answer, {**_HIT, names.REQUEST_ID: metered.call.request_id})


def _with(answer: Answer, told: dict[str, str]) -> Answer:
    return replace(answer, headers={**answer.headers, **told})
