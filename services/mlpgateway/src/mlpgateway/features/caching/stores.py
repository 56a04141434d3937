"""The caches of the models that this gate serves: opened by a call, closed when idle or when settings change."""

import asyncio
import time
from base64 import b64decode
from binascii import Error as NoBase64Error
from dataclasses import dataclass
from typing import Final

from pymongo.errors import PyMongoError

from mlpgateway.egress.client import LookUp
from mlpgateway.egress.look_ups import LookUps
from mlpgateway.egress.rules import EgressRules
from mlpgateway.features.caching.connections import Guard, open_client
from mlpgateway.features.caching.store import CacheStore, Link
from mlpgateway.readmodels.models import Models
from mlplace_contracts.events import ModelCaching, ModelChanged
from mlplace_kit.clock import Clock
from mlplace_kit.mongo_uris import fault_in
from mlplace_runtime.secrets import UnreadableSecretError, Vault
from mlplace_runtime.tasks import ended

_IDLE_SECONDS: Final = 600.0
_LOOK_SECONDS: Final = 5.0


@dataclass(slots=True)
class _Open:
    store: CacheStore
    uri: str
    task: "asyncio.Task[None]"


class CacheStores:
    """Run `run` as a task; at its end all are closed. Models with the same address share a client."""

    def __init__(
        self, *, models: Models, vault: Vault, rules: EgressRules, clock: Clock, look_up: LookUp | None = None
    ) -> None:
        self._models = models
        self._vault = vault
        self._rules = rules
        self._clock = clock
        self._look_up = look_up or LookUps().find
        self._open: dict[int, _Open] = {}
        self._links: dict[str, Link] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    def of(self, model: ModelChanged, rule: ModelCaching) -> CacheStore:
        known = self._open.get(model.model_id)
        if known is not None and known.store.rule == rule:
            return known.store
        if known is not None:
            self._begin_closing(model.model_id)
        return self._opened(model, rule)

    def find(self, model_id: int) -> CacheStore | None:
        """Returns None while no call has needed the cache."""
        known = self._open.get(model_id)
        return known.store if known else None

    def _opened(self, model: ModelChanged, rule: ModelCaching) -> CacheStore:
        uri = self._uri(model, rule)
        link = self._links.get(uri)
        if link is None:
            link = self._links[uri] = self._link(uri)
        store = CacheStore(model.model_id, rule, link, self._clock)
        task = asyncio.create_task(store.run(), name=f"cache:{model.model_id}")
        self._open[model.model_id] = _Open(store, uri, task)
        return store

    def _uri(self, model: ModelChanged, rule: ModelCaching) -> str:
        """Returns the address; empty when it cannot be decrypted."""
        try:
            return self._vault.open(b64decode(rule.address), purpose=ModelCaching.purpose(model.account_id))
        except (UnreadableSecretError, NoBase64Error):
            return ""

    def _link(self, uri: str) -> Link:
        """Checks the address again, because the event may be older than the rule."""
        guard = Guard(self._rules, self._look_up)
        if not uri or fault_in(uri):
            return Link(None, guard)
        try:
            return Link(open_client(uri, guard), guard)
        except (PyMongoError, ValueError):
            return Link(None, guard)

    async def run(self) -> None:
        """Closes unused caches until cancelled."""
        try:
            while True:
                await asyncio.sleep(_LOOK_SECONDS)
                for model_id in [model_id for model_id, open_one in self._open.items() if self._is_over(open_one)]:
                    self._begin_closing(model_id)
        finally:
            for model_id in list(self._open):
                self._begin_closing(model_id)
            await asyncio.gather(*self._leaving, return_exceptions=True)

    def _is_over(self, open_one: _Open) -> bool:
        store = open_one.store
        model = self._models.by_id(store.model_id)
        changed = model is None or model.caching != store.rule
        return changed or time.monotonic() - store.used_at > _IDLE_SECONDS

    def _begin_closing(self, model_id: int) -> None:
        closing = asyncio.create_task(self._close(self._open.pop(model_id)))
        self._leaving.add(closing)
        closing.add_done_callback(self._leaving.discard)

    async def _close(self, leaving: _Open) -> None:
        if any(other.uri == leaving.uri for other in self._open.values()):
            await ended(leaving.task)
            return
        link = self._links.pop(leaving.uri, None)
        await ended(leaving.task)
        if link is not None and link.client is not None:
            await link.client.close()
