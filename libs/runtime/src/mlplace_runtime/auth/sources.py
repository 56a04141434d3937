"""Sources of identities: the owning service's tables, or its internal API behind a short-lived cache."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Generic, Protocol, TypeVar

from mlplace_contracts.internal.identity import KeyIdentity, SessionIdentity
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher

_CAPACITY = 20_000
_TTL = timedelta(seconds=30)
_NEGATIVE_TTL = timedelta(seconds=2)
_Identity = TypeVar("_Identity", SessionIdentity, KeyIdentity)


class SessionSource(Protocol):
    async def session(self, secret: str) -> SessionIdentity | None:
        """Returns the live session of this secret; None if it is unknown, expired or revoked."""
        ...


class KeySource(Protocol):
    async def key(self, secret: str) -> KeyIdentity | None:
        """Returns the live key with this text; None if it is unknown, expired or revoked."""
        ...


class IdentityCache(Generic[_Identity]):
    """A bounded cache, keyed by the keyed hash of the whole secret. Events empty it; entries also expire after 30 s.

    Concurrent misses of one secret fetch once. Unknown secrets are cached for two seconds.
    """

    def __init__(
        self, *, fetch: Callable[[str], Awaitable[_Identity | None]], hasher: KeyedHasher, clock: Clock
    ) -> None:
        self._fetch = fetch
        self._hasher = hasher
        self._clock = clock
        self._entries: OrderedDict[str, tuple[_Identity | None, float]] = OrderedDict()
        self._pending: dict[str, asyncio.Task[_Identity | None]] = {}
        self._generation = 0

    async def get(self, secret: str) -> _Identity | None:
        digest = self._hasher.digest(secret)
        now = self._clock.now().timestamp()
        entry = self._entries.get(digest)
        if entry and entry[1] > now:
            return entry[0]
        task = self._pending.get(digest)
        if task is None:
            task = asyncio.create_task(self._load(digest, secret))
            self._pending[digest] = task
            task.add_done_callback(lambda done: self._settle(digest, done))
        return await asyncio.shield(task)

    def drop(self, matches: Callable[[str, _Identity], bool]) -> None:
        """Drops the identities that match (by hash and identity), and discards fetches in progress."""
        for digest in self._outdated(matches):
            del self._entries[digest]

    def end(self, matches: Callable[[str, _Identity], bool]) -> None:
        """Like `drop`, for identities that never live again: nobody need be asked about them for a while."""
        until = (self._clock.now() + _TTL).timestamp()
        for digest in self._outdated(matches):
            self._entries[digest] = None, until

    def _outdated(self, matches: Callable[[str, _Identity], bool]) -> list[str]:
        self._generation += 1
        self._pending.clear()  # fetches in progress may have read before the change: nobody may join them
        return [digest for digest, (identity, _) in self._entries.items() if identity and matches(digest, identity)]

    def _settle(self, digest: str, done: "asyncio.Task[_Identity | None]") -> None:
        if self._pending.get(digest) is done:
            del self._pending[digest]

    async def _load(self, digest: str, secret: str) -> _Identity | None:
        generation = self._generation
        identity = await self._fetch(secret)
        if generation == self._generation:
            self._remember(digest, identity)
        return identity

    def _remember(self, digest: str, identity: _Identity | None) -> None:
        now = self._clock.now()
        until = (now + (_TTL if identity else _NEGATIVE_TTL)).timestamp()
        if identity and identity.expires_at:
            until = min(until, identity.expires_at.timestamp())
        self._entries[digest] = (identity, until)
        self._entries.move_to_end(digest)
        if len(self._entries) > _CAPACITY:
            self._entries.popitem(last=False)


class CachedSessions:
    """Sessions of accountsadmin, cached in another service."""

    def __init__(self, cache: "IdentityCache[SessionIdentity]") -> None:
        self.cache = cache

    async def session(self, secret: str) -> SessionIdentity | None:
        return await self.cache.get(secret)


class CachedKeys:
    """API keys of mlpcore, cached in another service."""

    def __init__(self, cache: "IdentityCache[KeyIdentity]") -> None:
        self.cache = cache

    async def key(self, secret: str) -> KeyIdentity | None:
        return await self.cache.get(secret)
