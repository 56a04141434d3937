"""Resolves API keys and accounts from mlpcore's own tables."""

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.api_keys.dependencies import key_resolver_of
from mlpcore.state import CoreState
from mlplace_contracts.internal.identity import AccountEntry, KeyIdentity
from mlplace_kit.names import PathRef
from mlplace_runtime.auth.sources import CachedKeys, IdentityCache
from mlplace_runtime.db.database import Database


class OwnAccounts:
    """Implements AccountDirectory with the read model of accounts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, ref: PathRef) -> AccountEntry | None:
        async with self._database.transaction() as session:
            return await accounts_of(session).find(ref)


def cached_keys(state: CoreState) -> CachedKeys:
    async def fetch(secret: str) -> KeyIdentity | None:
        async with state.database.transaction() as session:
            return await key_resolver_of(session, state).resolve(secret=secret)

    return CachedKeys(IdentityCache(fetch=fetch, hasher=state.hasher, clock=state.clock))
