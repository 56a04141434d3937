import asyncio
from datetime import timedelta

from mlplace_contracts.events import ApiKeyChanged, MembershipChanged, SessionRevoked, UserChanged
from mlplace_contracts.internal.identity import KeyIdentity, SessionIdentity
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.auth.sources import CachedKeys, CachedSessions, IdentityCache
from mlplace_testing.waiting import eventually


class _Source:
    def __init__(self, clock: ManualClock, hasher: KeyedHasher) -> None:
        self._clock = clock
        self._hasher = hasher
        self.asked = 0
        self.known = True
        self.gate = asyncio.Event()
        self.gate.set()

    async def asked_times(self) -> int:
        return self.asked

    async def key(self, secret: str) -> KeyIdentity | None:
        self.asked += 1
        await self.gate.wait()
        if not self.known:
            return None
        return KeyIdentity(
            key_id=1, account_id=2, account_name="a", name="k", permissions=(), allowed_models=None, features=(),
            expires_at=self._clock.now() + timedelta(minutes=10),
        )  # fmt: skip

    async def session(self, secret: str) -> SessionIdentity | None:
        self.asked += 1
        return SessionIdentity(
            session_hash=self._hasher.digest(secret), user_id=5, login="l", permissions=(), internal=False,
            memberships=(), features={}, expires_at=self._clock.now() + timedelta(days=1),
        )  # fmt: skip


class TestIdentityCache:
    async def test_concurrent_misses_fetch_once(self, clock: ManualClock, hasher: KeyedHasher) -> None:
        source = _Source(clock, hasher)
        source.gate.clear()
        cache = IdentityCache(fetch=source.key, hasher=hasher, clock=clock)
        waiting = [asyncio.create_task(cache.get("k")) for _ in range(10)]
        await asyncio.sleep(0)
        source.gate.set()
        assert {identity.key_id for identity in await asyncio.gather(*waiting) if identity} == {1}
        assert source.asked == 1

    async def test_entries_expire_after_thirty_seconds_and_unknown_secrets_after_two(
        self, clock: ManualClock, hasher: KeyedHasher
    ) -> None:
        source = _Source(clock, hasher)
        cache = IdentityCache(fetch=source.key, hasher=hasher, clock=clock)
        for moved, asked in ((0, 1), (29, 1), (2, 2)):
            clock.advance(timedelta(seconds=moved))
            await cache.get("k")
            assert source.asked == asked
        source.known = False
        for moved, asked in ((0, 3), (1, 3), (2, 4)):
            clock.advance(timedelta(seconds=moved))
            assert await cache.get("unknown") is None
            assert source.asked == asked

    async def test_an_identity_fetched_before_a_revocation_is_not_cached(
        self, clock: ManualClock, hasher: KeyedHasher
    ) -> None:
        source = _Source(clock, hasher)
        source.gate.clear()
        cache = IdentityCache(fetch=source.key, hasher=hasher, clock=clock)
        waiting = asyncio.create_task(cache.get("k"))
        await eventually(source.asked_times, until=lambda times: times == 1)
        cache.drop(lambda _, __: True)
        after = asyncio.create_task(cache.get("k"))
        await eventually(source.asked_times, until=lambda times: times == 2)
        source.gate.set()
        await asyncio.gather(waiting, after)
        await cache.get("k")
        assert source.asked == 2


class TestInvalidator:
    async def test_events_drop_cached_identities(self, clock: ManualClock, hasher: KeyedHasher) -> None:
        keys, sessions = _Source(clock, hasher), _Source(clock, hasher)
        cached_keys = CachedKeys(IdentityCache(fetch=keys.key, hasher=hasher, clock=clock))
        cached_sessions = CachedSessions(IdentityCache(fetch=sessions.session, hasher=hasher, clock=clock))
        invalidator = Invalidator(sessions=cached_sessions, keys=cached_keys)
        revoked_key = ApiKeyChanged(
            version=2, key_id=1, account_id=2, name="k", key_hash="h", permissions=(), allowed_models=None,
            expires_at=None, active=False,
        )  # fmt: skip
        events = [
            revoked_key,
            UserChanged(version=1, user_id=5, login="l", permissions=(), internal=False, active=True),
            MembershipChanged(version=1, account_id=9, user_id=5, roles=()),
        ]
        for event in events:
            await cached_keys.key("k")
            await cached_sessions.session("s")
            invalidator.apply(event)
        await cached_keys.key("k")
        await cached_sessions.session("s")
        assert (keys.asked, sessions.asked) == (2, 3)

    async def test_session_that_has_ended_is_refused_without_a_question(
        self, clock: ManualClock, hasher: KeyedHasher
    ) -> None:
        """Whether accountsadmin answers then does not matter."""
        source = _Source(clock, hasher)
        sessions = CachedSessions(IdentityCache(fetch=source.session, hasher=hasher, clock=clock))
        for secret in ("ended", "other"):
            assert await sessions.session(secret) is not None
        ended = SessionRevoked(session_hash=hasher.digest("ended"), user_id=5, revoked_at=clock.now())
        Invalidator(sessions=sessions).apply(ended)
        assert await sessions.session("ended") is None
        assert await sessions.session("other") is not None
        assert source.asked == 2
        clock.advance(timedelta(seconds=31))
        await sessions.session("ended")
        assert source.asked == 3
