"""Resolves API keys and accounts from mlpcore's own tables, and asks accountsadmin about users."""

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.api_keys.dependencies import key_resolver_of
from mlpcore.ports import ConfirmedAddresses
from mlpcore.state import CoreState
from mlplace_contracts.internal.identity import AccountEntry, KeyIdentity
from mlplace_contracts.internal.people import PersonAnswer, PersonQuestion
from mlplace_kit.names import PathRef
from mlplace_runtime.auth.sources import CachedKeys, IdentityCache
from mlplace_runtime.db.database import Database
from mlplace_runtime.internal_client import InternalClient


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


def confirmed_addresses(internal: InternalClient) -> ConfirmedAddresses:
    async def confirmed(user_id: int) -> bool:
        question = PersonQuestion(user_id=user_id)
        return (await internal.post("accountsadmin", "/people/resolve", question, PersonAnswer)).confirmed

    return confirmed
