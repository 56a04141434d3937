"""Reads sessions and accounts from the tables, so that revocations take effect at once in this service."""

from accountsadmin.features.accounts.dependencies import accounts_of
from accountsadmin.features.identity.dependencies import identity_of
from accountsadmin.origin import PLATFORM
from accountsadmin.unit_of_work import OpenWork
from mlplace_contracts.internal.identity import AccountEntry, SessionIdentity
from mlplace_kit.names import PathRef


class OwnSessions:
    def __init__(self, open_work: OpenWork) -> None:
        self._open_work = open_work

    async def session(self, secret: str) -> SessionIdentity | None:
        async with self._open_work(PLATFORM) as work:
            return await identity_of(work).resolve(secret=secret)


class OwnAccounts:
    def __init__(self, open_work: OpenWork) -> None:
        self._open_work = open_work

    async def find(self, ref: PathRef) -> AccountEntry | None:
        async with self._open_work(PLATFORM) as work:
            return await accounts_of(work).find(ref=ref)
