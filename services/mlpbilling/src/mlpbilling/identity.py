"""Who is asking mlpbilling: sessions from accountsadmin, keys from mlpcore, both behind short caches."""

from mlplace_contracts.internal.identity import KeyIdentity, ResolveSecret, SessionIdentity
from mlplace_runtime.auth.sources import CachedKeys, CachedSessions, IdentityCache
from mlplace_runtime.service import Shared


def cached_sessions(shared: Shared) -> CachedSessions:
    async def fetch(secret: str) -> SessionIdentity | None:
        body = ResolveSecret(secret=secret)
        return await shared.internal.find("accountsadmin", "/sessions/resolve", body, SessionIdentity)

    return CachedSessions(IdentityCache(fetch=fetch, hasher=shared.hasher, clock=shared.clock))


def cached_keys(shared: Shared) -> CachedKeys:
    async def fetch(secret: str) -> KeyIdentity | None:
        return await shared.internal.find("mlpcore", "/keys/resolve", ResolveSecret(secret=secret), KeyIdentity)

    return CachedKeys(IdentityCache(fetch=fetch, hasher=shared.hasher, clock=shared.clock))
