"""Empties identity caches on events, so that a revoked key, session or membership is refused within two seconds."""

from mlplace_contracts.events import (
    AccountChanged,
    AccountLimitsChanged,
    ApiKeyChanged,
    Event,
    MembershipChanged,
    SessionRevoked,
    UserChanged,
)
from mlplace_contracts.topics import ACCOUNTS, API_KEYS, LIMITS, MEMBERSHIPS, SESSIONS, USERS
from mlplace_runtime.auth.sources import CachedKeys, CachedSessions
from mlplace_runtime.bus.consumer import Projection
from mlplace_runtime.bus.port import EventBus

TOPICS = (ACCOUNTS, USERS, SESSIONS, MEMBERSHIPS, LIMITS, API_KEYS)


class Invalidator:
    """Applies events to the caches of one process."""

    def __init__(self, *, sessions: CachedSessions | None = None, keys: CachedKeys | None = None) -> None:
        self._sessions = sessions
        self._keys = keys

    def apply(self, event: Event) -> None:
        if self._sessions:
            self._apply_to_sessions(self._sessions, event)
        if self._keys:
            self._apply_to_keys(self._keys, event)

    @staticmethod
    def _apply_to_sessions(sessions: CachedSessions, event: Event) -> None:
        match event:
            case SessionRevoked():
                sessions.cache.end(lambda _, identity: identity.session_hash == event.session_hash)
            case UserChanged() | MembershipChanged():
                sessions.cache.drop(lambda _, identity: identity.user_id == event.user_id)
            case AccountChanged() | AccountLimitsChanged():
                sessions.cache.drop(
                    lambda _, identity: any(m.account_id == event.account_id for m in identity.memberships)
                )
            case _:
                pass

    @staticmethod
    def _apply_to_keys(keys: CachedKeys, event: Event) -> None:
        match event:
            case ApiKeyChanged():
                keys.cache.drop(lambda _, identity: identity.key_id == event.key_id)
            case AccountChanged() | AccountLimitsChanged():
                keys.cache.drop(lambda _, identity: identity.account_id == event.account_id)
            case _:
                pass

    def projection(self, bus: EventBus, *, name: str) -> Projection:
        return Projection(name=name, topics=TOPICS, apply=self.apply, bus=bus)
