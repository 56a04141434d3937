"""Stored configs: from the read model, or from mlpcore while the event of a new config is still on its way."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from mlpgateway.call.call import Payload
from mlpgateway.readmodels.configs import Configs
from mlplace_contracts.internal.predict_configs import ResolvedPredictConfig, ResolvePredictConfig
from mlplace_runtime.internal_client import InternalClient

_MISSING_SECONDS: Final = 1.0
_MOST_MISSING: Final = 1000
_AT_ONCE: Final = 8

Fetch = Callable[[int, int], Awaitable[str | None]]
"""Fetches the text of a model's config by model id and config id; None when there is none. Raises Unavailable."""


class StoredConfigs:
    def __init__(self, known: Configs, fetch: Fetch, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._known = known
        self._fetch = fetch
        self._seconds = seconds
        self._missing: dict[tuple[int, int], float] = {}
        self._few = asyncio.Semaphore(_AT_ONCE)

    def default(self, model_id: int) -> Payload | None:
        return self._known.default(model_id)

    async def find(self, model_id: int, config_id: int) -> Payload | None:
        """Returns a config of this model. A config that mlpcore does not know is not asked for again within a second.

        Raises Unavailable.
        """
        key = (model_id, config_id)
        known = self._known.find(*key)
        if known is not None or self._missing.get(key, 0.0) > self._seconds():
            return known
        async with self._few:
            text = await self._fetch(*key)
        if text is None:
            self._note_missing(key)
            return None
        return Payload(json=text)

    def _note_missing(self, key: tuple[int, int]) -> None:
        self._missing.pop(key, None)
        while len(self._missing) >= _MOST_MISSING:
            del self._missing[next(iter(self._missing))]
        self._missing[key] = self._seconds() + _MISSING_SECONDS


def fetch_from(internal: InternalClient) -> Fetch:
    async def fetch(model_id: int, config_id: int) -> str | None:
        body = ResolvePredictConfig(model_id=model_id, config_id=config_id)
        found = await internal.find("mlpcore", "/predict-configs/resolve", body, ResolvedPredictConfig)
        return None if found is None else found.config

    return fetch
