"""Resolves identities through the internal APIs of the services that own them, behind a short-lived cache."""

from mlplace_contracts.internal.identity import KeyIdentity, ResolveSecret, SessionIdentity
from mlplace_runtime.auth.authenticator import Authenticator
from mlplace_runtime.auth.sources import CachedKeys, CachedSessions, IdentityCache, KeySource, SessionSource
from mlplace_runtime.service import Shared


def remote_sessions(shared: Shared) -> CachedSessions:
    """Resolves sessions at accountsadmin."""

    async def fetch(secret: str) -> SessionIdentity | None:
        body = ResolveSecret(secret=secret)
        return await shared.internal.find("accountsadmin", "/sessions/resolve", body, SessionIdentity)

    return CachedSessions(IdentityCache(fetch=fetch, hasher=shared.hasher, clock=shared.clock))


def remote_keys(shared: Shared) -> CachedKeys:
    """Resolves API keys at mlpcore."""

    async def fetch(secret: str) -> KeyIdentity | None:
        return await shared.internal.find("mlpcore", "/keys/resolve", ResolveSecret(secret=secret), KeyIdentity)

    return CachedKeys(IdentityCache(fetch=fetch, hasher=shared.hasher, clock=shared.clock))


def authenticator_of(shared: Shared, *, sessions: SessionSource, keys: KeySource) -> Authenticator:
    return Authenticator(
        sessions=sessions,
        keys=keys,
        cookies=shared.cookies,
        internal_token=shared.internal_token,
        also_internal_tokens=shared.also_internal_tokens,
        metrics_token=shared.metrics_token,
    )
